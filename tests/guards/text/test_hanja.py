import pytest

from guards.text.hanja import is_usual_han
from guards.text.scripts import foreign_runs

USUAL = [
    pytest.param("수수료(手續費)를", id="gloss"),
    pytest.param("국민 연금(國民年金)은", id="gloss-of-two-words"),
    pytest.param("업(業)으로", id="gloss-of-one-syllable"),
    pytest.param("[이하 “기일”(期日)이라 한다]", id="gloss-after-quotes"),
    pytest.param("수수료（手續費）를", id="full-width-brackets"),
    pytest.param("임명과 해임(任命·解任)", id="two-words-in-one-bracket"),
    pytest.param("원본(原本, 사본을 포함한다)", id="bracket-goes-on-after-the-gloss"),
    pytest.param("甲은 乙에게", id="parties"),
    pytest.param("(株)가나상사", id="kind-of-company"),
]
NOT_USUAL = [
    pytest.param("手續費를", id="han-in-running-text"),
    pytest.param("手續費(수수료)를", id="han-before-its-gloss"),
    pytest.param("AI(人工智能)는", id="bracket-after-latin"),
    pytest.param("기한(申请期限为三十天)", id="longer-than-the-word-it-follows"),
    pytest.param("가나株式", id="kind-of-company-without-brackets"),
    pytest.param("(費)", id="bracket-after-nothing"),
]


@pytest.mark.parametrize("text", USUAL)
def test_accepts(text: str) -> None:
    runs = foreign_runs(text)

    assert runs
    assert all(is_usual_han(text, run) for run in runs)


@pytest.mark.parametrize("text", NOT_USUAL)
def test_refuses(text: str) -> None:
    [run] = foreign_runs(text)

    assert not is_usual_han(text, run)


def test_kana_is_no_gloss() -> None:
    text = "요금(メートル)은"
    [run] = foreign_runs(text)

    assert not is_usual_han(text, run)
