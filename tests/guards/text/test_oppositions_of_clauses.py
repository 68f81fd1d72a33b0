import pytest

from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.text.oppositions_of_clauses import SourceSayings
from guards.text.oppositions_of_clauses import opposed as said_against
from guards.text.polarity_sayings import sayings

NOTHING: frozenset[str] = frozenset()


def opposed(claim: str, *sources: str, context: frozenset[str] = NOTHING) -> list[str]:
    exchange = Exchange("", tuple(Source(str(at), "", text) for at, text in enumerate(sources)))
    told = read(exchange).told
    found = [said_against(told, saying, lambda: context) for saying in sayings(claim)]
    everything = SourceSayings(told)
    assert found == [everything.opposed(saying, lambda: context) for saying in sayings(claim)]
    return [one.told.predicate for one in found if one]


@pytest.mark.parametrize(
    ("claim", "source", "predicate"),
    [
        pytest.param(
            "창고는 개방합니다.", "창고는 개방하지 않는다.", "개방하지 않는다", id="same-word"
        ),
        pytest.param(
            "토요일에도 진료합니다.",
            "토요일과 일요일은 휴진합니다.",
            "휴진합니다",
            id="one-of-a-list",
        ),
        pytest.param(
            "장기 휴직자도 수당을 받을 수 있습니다.",
            "장기 휴직자에게는 수당을 지급하지 아니한다.",
            "지급하지 아니한다",
            id="receiver",
        ),
        pytest.param(
            "서류 심사 없이도 가입됩니다.",
            "가입하려면 서류 심사가 필요합니다.",
            "심사가 필요합니다",
            id="without-what-is-needed",
        ),
    ],
)
def test_finds_the_clause_that_tells_it_otherwise(claim: str, source: str, predicate: str) -> None:
    assert predicate in opposed(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        pytest.param("매점은 쉽니다.", "식당은 영업합니다.", id="other-subject"),
        pytest.param(
            "매점 창고는 개방합니다.",
            "매점은 개방하지 않는다. 창고 점검은 월요일에 한다.",
            id="subject-known-from-elsewhere",
        ),
        pytest.param("비회원은 입장할 수 없습니다.", "회원은 입장할 수 있다.", id="negated-noun"),
        pytest.param("눈이 오면 운행합니다.", "비가 오면 운행하지 않습니다.", id="other-condition"),
        pytest.param(
            "주차할 수 있습니다.", "방문객은 밤에 주차할 수 없다.", id="no-words-of-its-own"
        ),
        pytest.param(
            "방문객은 주차할 수 있습니다.",
            "방문객은 명절 연휴에 옥상에 주차할 수 없다.",
            id="rule-for-a-special-case",
        ),
        pytest.param("3일까지 취소할 수 있습니다.", "5일까지 취소할 수 없다.", id="other-figures"),
        pytest.param(
            "접수한 뒤에 변경할 수 없습니다.",
            "접수하기 전에 변경할 수 있다.",
            id="other-side-of-a-time",
        ),
        pytest.param(
            "목요일은 개관합니다.",
            "매주 월요일만 개관하지 않습니다. 목요일은 청소한다.",
            id="only-another",
        ),
    ],
)
def test_never_compares_what_is_about_something_else(claim: str, source: str) -> None:
    assert opposed(claim, source) == []


def test_a_source_that_says_the_same_settles_it() -> None:
    claim = "창고는 개방합니다."

    assert opposed(claim, "창고는 개방하지 않는다.", "창고는 개방한다.") == []


def test_what_only_holds_for_others_settles_nothing() -> None:
    claim = "중복 할인을 적용합니다."
    source = "중복 할인은 적용하지 않으며 큰 것 하나만 적용합니다."

    assert opposed(claim, source) == ["적용하지 않으며"]


def test_words_around_the_claim_may_tell_the_condition() -> None:
    claim, source = "분수는 가동합니다.", "눈이 오면 분수는 가동하지 않습니다."

    assert opposed(claim, source) == []
    assert opposed(claim, source, context=frozenset({"눈", "오"})) == ["가동하지 않습니다"]
