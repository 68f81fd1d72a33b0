import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Span
from proxy.openai_api.json_body import JsonObject
from proxy.pipeline.constraints import LONGEST_BARRED_CHARS, wanted

SOURCE = Source("1", "제2조 수수료", "수수료(手續費)는 한빛은행 창구에서 낸다.", file="案内.pdf")
EXCHANGE = Exchange("수수료는 어디에 내나요?", (SOURCE,))
BODY: JsonObject = {"model": "m", "messages": []}


def finding(code: str, observed: str) -> Finding:
    return Finding(code.partition(".")[0], code, "answer", Span(0, len(observed)), observed)


LEAK = finding("korean_only.han", "费用")
NAME = finding("names.not_in_sources", "가온은행")


@pytest.mark.parametrize("kind", ["han", "kana", "other_script", "broken_character"])
def test_foreign_writing_asks_for_korean_letters(kind: str) -> None:
    found = wanted(EXCHANGE, [finding(f"korean_only.{kind}", "费用")], BODY)

    assert found is not None
    assert found.text is not None
    assert found.is_kept_by("수수료(手續費)는 3만 원입니다.")
    assert not found.is_kept_by("费用입니다.")
    assert found.barred == ("费用",)


def test_an_invented_name_is_barred_and_the_letters_are_free() -> None:
    found = wanted(EXCHANGE, [NAME], BODY)

    assert found is not None
    assert (found.text, found.barred) == (None, ("가온은행",))
    assert found.is_kept_by("费用")


NOTHING = [
    pytest.param([], id="no-findings"),
    pytest.param([finding("numbers.not_in_sources", "3만 원")], id="figure"),
    pytest.param([finding("korean_only.latin_sentence", "We will call")], id="english-sentence"),
    pytest.param([finding("names.misspelt", "한및은행")], id="misspelt-name"),
]


@pytest.mark.parametrize("findings", NOTHING)
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


@pytest.mark.parametrize("own", OWN, ids=lambda own: next(iter(own)))
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
