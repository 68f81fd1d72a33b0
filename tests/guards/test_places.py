import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Strength
from guards.core.reading import read
from guards.places import Places, PlacesSettings
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

HOUSE = """도서실: 3층, 09:00~21:00
매점(본관 지하 1층), 샤워실(본관 지하 2층)
▶ 접수처: 별관 1층 / 상담실: 별관 4층
차를 세우는 곳은 지하 3층~지하 5층 주차장입니다.
1층 휴게실 '솔바람'은 누구나 쓸 수 있습니다.
| 강좌 | 요일 | 교실 |
|---|---|---|
| 서예 | 월 | 2층 204호 |
| 해금 | 화 | 2층 207호 |
전시: 제1관(5층) 도자기, 제2관(6층) 목판화, 특별관(지하 6층) 사진
오시는 길: 한빛시 두루미로 41, 연수원은 두루미로 77-2"""
SOURCES = (Source("1", "마루회관 안내", HOUSE),)


@pytest.fixture
def guard() -> Places:
    return Places(PlacesSettings())


def findings(guard: Places, answer: str, question: str = "어디에 있나요?") -> list[Finding]:
    return guard.check(read(Exchange(question, SOURCES, answer=answer)))


@each_row("answer, observed, expected", "flagged")
def test_flags_what_the_sources_give_otherwise(
    guard: Places, answer: str, observed: str, expected: str
) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.strength) == ("places.differs", Strength.C2)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed
    assert finding.expected == (expected,)
    assert finding.fix == expected
    assert expected in finding.evidence[0].quote


@each_row("answer", "clean")
def test_passes(guard: Places, answer: str) -> None:
    assert findings(guard, answer) == []


def test_the_users_own_floor_needs_no_source(guard: Places) -> None:
    answer = "2층이면 휴게실 앞에서 기다려 주세요. 휴게실은 1층입니다."

    assert findings(guard, answer, "저는 2층인데 어디서 기다려요?") == []


@each_row("question", ["휴게실은 2층에 있나요?", "휴게실이 2층이라던데 어떻게 가요?"])
def test_what_the_question_says_of_the_house_is_no_evidence(guard: Places, question: str) -> None:
    [finding] = findings(guard, "휴게실은 2층입니다.", question)

    assert finding.observed == "2층"


def test_flags_another_house_of_a_road(guard: Places) -> None:
    [finding] = findings(guard, "한빛시 두루미로 14로 오세요.")

    assert finding.observed == "두루미로 14"
    assert finding.expected == ("두루미로 41", "두루미로 77-2")
    assert finding.fix is None


@each_row("unit", "long_texts_are_read_in_time")
def test_long_texts_are_read_in_time(guard: Places, unit: str) -> None:
    assert_grows_with_its_input(lambda chars: findings(guard, unit * (chars // len(unit))), 6_000)


@each_row("one, other, answer", "of_two_branches")
def test_the_place_of_another_branch_is_no_other_place(
    guard: Places, one: str, other: str, answer: str
) -> None:
    sources = (Source("1", "동해점 안내", one), Source("2", "서해점 안내", other))

    assert guard.check(read(Exchange("어디인가요?", sources, answer=answer))) == []


def test_the_rooms_of_a_range_are_known(guard: Places) -> None:
    sources = (Source("1", "", "가족실은 301~312호, 단체실은 401호입니다."),)

    [finding] = guard.check(read(Exchange("몇 호?", sources, answer="단체실은 305호입니다.")))

    assert (finding.observed, finding.expected) == ("305호", ("401호",))
    asked = Exchange("몇 호?", sources, answer="가족실은 305호도 됩니다.")
    assert guard.check(read(asked)) == []
