"""Constraints of a second attempt: what is wanted, letters that are allowed, servers."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Span
from guards.text.scripts import foreign_runs
from proxy.errors import UpstreamRefused
from proxy.openai_api.json_body import JsonObject
from proxy.pipeline.constraints import (
    LONGEST_BARRED_CHARS,
    MOST_BAD_WORDS,
    MOST_LICENSED,
    AllowedText,
    Constraints,
    ServerKind,
    allowed_text,
    fields_for,
    kind_of,
    may_be_refusal,
    wanted,
)
from tests.fakes.constrained_server import Sampler
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

SOURCE = Source("1", "제2조 수수료", "수수료(手續費)는 한빛은행 창구에서 낸다.", file="案内.pdf")
EXCHANGE = Exchange("수수료는 어디에 내나요?", (SOURCE,))
BODY: JsonObject = {"model": "m", "messages": []}


def finding(code: str, observed: str) -> Finding:
    return Finding(code.partition(".")[0], code, "answer", Span(0, len(observed)), observed)


LEAK = finding("korean_only.han", "费用")
NAME = finding("names.not_in_sources", "가온은행")


@each_row("kind", ["han", "kana", "other_script", "broken_character"])
def test_foreign_writing_asks_for_korean_letters(kind: str) -> None:
    found = wanted(EXCHANGE, [finding(f"korean_only.{kind}", "费用")], BODY)

    assert found is not None
    assert found.text is not None
    assert found.is_kept_by("수수료(手續費)는 3만 원입니다.")
    assert not found.is_kept_by("费用입니다.")
    assert found.barred == ("费用",)


NOTHING = [
    pytest.param([], id="no-findings"),
    pytest.param([finding("numbers.not_in_sources", "3만 원")], id="figure"),
    pytest.param([finding("korean_only.latin_sentence", "We will call")], id="english-sentence"),
    pytest.param([finding("names.misspelt", "한및은행")], id="misspelt-name"),
]


@each_row("findings", NOTHING)
def test_other_faults_constrain_nothing(findings: list[Finding]) -> None:
    assert wanted(EXCHANGE, findings, BODY) is None


OWN: list[JsonObject] = [
    {"tools": [{"type": "function"}]},
    {"functions": [{"name": "f"}]},
    {"response_format": {"type": "json_object"}},
    {"response_format": {"type": "json_schema", "json_schema": {}}},
    {"structured_outputs": {"choice": ["네", "아니요"]}},
    {"guided_regex": "[0-9]+"},
    {"regex": "[0-9]+"},
    {"ebnf": "root ::= [0-9]"},
    {"grammar": "root ::= [0-9]"},
]


@each_row("own", OWN)
def test_the_clients_own_constraint_comes_first(own: JsonObject) -> None:
    assert wanted(EXCHANGE, [LEAK, NAME], BODY | own) is None


def test_who_asks_for_another_language_gets_it() -> None:
    asked = Exchange("수수료 안내를 일본어로 번역해 주세요", (SOURCE,))

    assert wanted(asked, [LEAK], BODY) is None
    found = wanted(asked, [LEAK, NAME], BODY)
    assert found is not None
    assert (found.text, found.barred) == (None, ("가온은행",))


def test_what_the_request_holds_is_not_barred_and_neither_is_a_whole_sentence() -> None:
    held = finding("names.not_in_sources", "한빛은행")
    long = finding("korean_only.han", "费" * (LONGEST_BARRED_CHARS + 1))

    found = wanted(EXCHANGE, [held, long, NAME, NAME], BODY)

    assert found is not None
    assert found.barred == ("가온은행",)


LICENSED = AllowedText(("手續費", "договор"))

SAMPLERS = [
    pytest.param(lambda text: Sampler.of_regex(text.regex), id="regex"),
    pytest.param(lambda text: Sampler.of_gbnf(text.gbnf), id="gbnf"),
]


def written(sampler: Sampler, text: str) -> bool:
    return sampler.write(text) and sampler.may_end()


@each_row("make", SAMPLERS)
@each_row("text", "korean")
def test_korean_texts_can_be_written(make: Callable[[AllowedText], Sampler], text: str) -> None:
    assert written(make(LICENSED), text)
    assert LICENSED.allows(text)


@each_row("make", SAMPLERS)
@each_row("text", "foreign")
def test_foreign_writing_cannot(make: Callable[[AllowedText], Sampler], text: str) -> None:
    assert not written(make(LICENSED), text)
    assert not LICENSED.allows(text)


@each_row("make", SAMPLERS)
def test_no_han_token_can_come_and_every_syllable_can(
    make: Callable[[AllowedText], Sampler],
) -> None:
    sampler = make(LICENSED)

    for text in ("", "수수료(", "手續費", " 입니다.\n"):
        assert sampler.write(text)
        free = sampler.may_come_next()
        assert {char for char in free if char >= "가"} == {chr(at) for at in range(0xAC00, 0xD7A4)}
        assert {char for char in free if char < "가"} == {"手"}


@each_row("make", SAMPLERS)
def test_a_licensed_word_is_written_as_a_whole(make: Callable[[AllowedText], Sampler]) -> None:
    sampler = make(LICENSED)

    assert sampler.write("수수료(手續費)는 договор에 따릅니다.")
    assert sampler.write("手")
    assert not sampler.write("機")
    assert not sampler.write("는")
    assert sampler.write("續費")


def test_licensed_is_what_stands_in_the_question_the_sources_and_the_conversation() -> None:
    source = Source("1", "東亞 안내", "수수료(手續費)는 \ufffd 3일 안에 낸다.", file="報告.pdf")
    exchange = Exchange("漢城 지점은요?", (source,), echo="표기: 株式會社")

    assert set(allowed_text(exchange).licensed) == {"漢城", "東亞", "手續費", "報告", "株式會社"}


def test_what_is_licensed_is_limited() -> None:
    words = " ".join(chr(0x4E00 + at) * 2 for at in range(MOST_LICENSED * 2))
    exchange = Exchange("무엇인가요?", (Source("1", "", words),))

    licensed = allowed_text(exchange)

    assert len(licensed.licensed) == MOST_LICENSED
    assert written(Sampler.of_regex(licensed.regex), f"{licensed.licensed[-1]}입니다")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_what_the_class_lets_through_is_nothing_that_counts_as_foreign(text: str) -> None:
    plain = AllowedText()

    if plain.allows(text):
        assert all(ord(run.text[0]) < 0x400 for run in foreign_runs(text))


@each_row("unit, end", [("가", "手"), ("中", ""), ("中中手", "")])
def test_no_text_takes_long(unit: str, end: str) -> None:
    many = AllowedText(("中", "中中", "中中中", "手續費"))

    assert_grows_with_its_input(lambda count: many.allows(unit * count + end), 30_000)


TEXT = AllowedText(("手續費",))
BOTH = Constraints(TEXT, ("가온은행",))
NAMES = Constraints(None, ("가온은행",))

FIELDS = [
    pytest.param(
        ServerKind.VLLM,
        BOTH,
        {"structured_outputs": {"regex": TEXT.regex}, "bad_words": ["가온은행"]},
        id="vllm",
    ),
    pytest.param(ServerKind.VLLM, NAMES, {"bad_words": ["가온은행"]}, id="vllm-names"),
    pytest.param(ServerKind.SGLANG, BOTH, {"regex": TEXT.regex}, id="sglang"),
    pytest.param(ServerKind.SGLANG, NAMES, {}, id="sglang-bars-no-names"),
    pytest.param(ServerKind.LLAMACPP, BOTH, {"grammar": TEXT.gbnf}, id="llamacpp"),
    pytest.param(ServerKind.LLAMACPP, NAMES, {}, id="llamacpp-bars-no-names"),
]


@each_row("kind, wanted, fields", FIELDS)
def test_each_server_is_told_in_its_own_way(
    kind: ServerKind, wanted: Constraints, fields: JsonObject
) -> None:
    assert fields_for(kind, {}, wanted) == fields


def test_words_that_the_client_bars_itself_stay_barred() -> None:
    own: JsonObject = {"bad_words": ["욕설"] * 70}

    fields = fields_for(ServerKind.VLLM, {"bad_words": ["욕설"]}, NAMES)
    many = fields_for(ServerKind.VLLM, own, NAMES)

    assert fields["bad_words"] == ["욕설", "가온은행"]
    assert many["bad_words"] == ["욕설"] * MOST_BAD_WORDS


@each_row("models, kind", "owners")
def test_the_list_of_models_tells_what_a_server_is(
    models: JsonObject, kind: ServerKind | None
) -> None:
    assert kind_of(models) is kind


@each_row("status, refused", "refusals")
def test_a_status_tells_whether_what_was_added_may_be_to_blame(
    status: int, *, refused: bool
) -> None:
    assert may_be_refusal(UpstreamRefused(status)) is refused
