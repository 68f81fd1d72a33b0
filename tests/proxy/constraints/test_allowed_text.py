from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.text.writing.scripts import foreign_runs
from proxy.pipeline.constraints import MOST_LICENSED, AllowedText, allowed_text
from tests.fakes.constrained_server import Sampler
from tests.fakes.growth import assert_grows_with_its_input

LICENSED = AllowedText(("手續費", "договор"))

KOREAN = [
    pytest.param("신청은 3일 안에 하시면 됩니다.", id="sentence"),
    pytest.param(
        "## 안내\n\n- **기한**: 3일\n- `code`\n\n| 구분 | 금액 |\n|---|---|\n", id="markdown"
    ),
    pytest.param("\t한 줄\r\n두 줄", id="control-characters"),
    pytest.param("「도서관법」 제3조 ‘인용’ “말씀” 『책』 【주의】 〈표〉 《신문》", id="quotes"),
    pytest.param("3,000원(￦3,000, ₩3,000, €2, $2) ½ 26℃ 5㎡ 3㎏ 2㎝ №7", id="units"),
    pytest.param("① 접수 → ② 심사 ⇒ ③ 통보 ※ 유의 ★ ● ■ ▶ ☎ ✓ ✅ ⭐", id="signs"),
    pytest.param("1️⃣ 먼저 😊 🙏 👨‍👩‍👧 ☎️", id="emoji"),
    pytest.param("㈜가나, ㉠ 항목, ㊿번, ㅋㅋ, 홍〇〇 님, 접수・처리", id="signs-of-korean-print"),
    pytest.param("Wi-Fi 7, São Paulo, Đoković, naïve, α값, ΔT, 5μm, Ω", id="latin-and-greek"),
    pytest.param("전각 ！？（가）～ ：", id="full-width"),
    pytest.param("https://example.com/a?b=1#c, a_b@example.com, 02-000-1234", id="contacts"),
    pytest.param("{\"a\": [1, 2], 'b': \\\\ ^ ~ @ # $ % & * < > ; / = + }", id="ascii"),
    pytest.param("줄임표… 대시– — 가운뎃점· ‧ • 쪽† ‰", id="punctuation"),
]
FOREIGN = [
    pytest.param("費用", id="han"),
    pytest.param("수수료는 费用입니다", id="han-in-a-sentence"),
    pytest.param("手續", id="part-of-a-licensed-word"),
    pytest.param("カード", id="katakana"),
    pytest.param("ファイル", id="half-sentence-of-kana"),
    pytest.param("の", id="hiragana"),
    pytest.param("人々", id="iteration-mark"),
    pytest.param("㌔", id="squared-kana"),
    pytest.param("㈱", id="bracketed-han"),
    pytest.param("правила", id="cyrillic"),
    pytest.param("ตัวอย่าง", id="thai"),
    pytest.param("例えば", id="japanese"),
    pytest.param("깨진 \ufffd 글자", id="broken"),
]
SAMPLERS = [
    pytest.param(lambda text: Sampler.of_regex(text.regex), id="regex"),
    pytest.param(lambda text: Sampler.of_gbnf(text.gbnf), id="gbnf"),
]


def written(sampler: Sampler, text: str) -> bool:
    return sampler.write(text) and sampler.may_end()


@pytest.mark.parametrize("make", SAMPLERS)
@pytest.mark.parametrize("text", KOREAN)
def test_korean_texts_can_be_written(make: Callable[[AllowedText], Sampler], text: str) -> None:
    assert written(make(LICENSED), text)
    assert LICENSED.allows(text)


@pytest.mark.parametrize("make", SAMPLERS)
@pytest.mark.parametrize("text", FOREIGN)
def test_foreign_writing_cannot(make: Callable[[AllowedText], Sampler], text: str) -> None:
    assert not written(make(LICENSED), text)
    assert not LICENSED.allows(text)


@pytest.mark.parametrize("make", SAMPLERS)
def test_no_han_token_can_come_and_every_syllable_can(
    make: Callable[[AllowedText], Sampler],
) -> None:
    sampler = make(LICENSED)

    for text in ("", "수수료(", "手續費", " 입니다.\n"):
        assert sampler.write(text)
        free = sampler.may_come_next()
        assert {char for char in free if char >= "가"} == {chr(at) for at in range(0xAC00, 0xD7A4)}
        assert {char for char in free if char < "가"} == {"手"}


@pytest.mark.parametrize("make", SAMPLERS)
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


@pytest.mark.parametrize(("unit", "end"), [("가", "手"), ("中", ""), ("中中手", "")])
def test_no_text_takes_long(unit: str, end: str) -> None:
    many = AllowedText(("中", "中中", "中中中", "手續費"))

    assert_grows_with_its_input(lambda count: many.allows(unit * count + end), 30_000)
