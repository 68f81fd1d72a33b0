import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.transport import Transport, TransportSettings
from tests.tables import each_row

OFFICE = """본사는 지하철 11호선 가온역 5번 출구에서 도보로 이동한다.
버스는 100번, 5-1번 버스를 타고 가온마을 정류장에서 내린다."""
FACTORY = "공장은 지하철 13호선 나래역 2번 출구 앞에 있다.\n심야에는 N99번 버스가 다닌다."
SOURCES = (Source("1", "본사 오시는 길", OFFICE), Source("2", "공장", FACTORY))
SILENT = (Source("1", "안내", "체크인은 오후 3시부터이다."),)


@pytest.fixture
def guard() -> Transport:
    return Transport(TransportSettings())


def findings(
    guard: Transport,
    answer: str,
    sources: tuple[Source, ...] = SOURCES,
    question: str = "어떻게 가나요?",
) -> list[Finding]:
    return guard.check(read(Exchange(question, sources, answer=answer)))


@each_row("answer, observed, expected, fix", "flagged")
def test_flags_what_differs_from_the_same_way(
    guard: Transport, answer: str, observed: str, expected: tuple[str, ...], fix: str | None
) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.strength) == ("transport.differs", Strength.C2)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed
    assert finding.expected == expected
    assert finding.fix == fix
    assert expected[0] in finding.evidence[0].quote


@each_row("answer, observed", "invented")
def test_flags_a_way_where_the_sources_have_none(
    guard: Transport, answer: str, observed: str
) -> None:
    [finding] = [
        each for each in findings(guard, answer, SILENT) if each.severity is Severity.STRONG
    ]

    assert (finding.code, finding.strength) == ("transport.invented", Strength.E0)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed


@each_row("answer", "clean")
def test_passes(guard: Transport, answer: str) -> None:
    assert findings(guard, answer) == []


def test_no_fix_where_two_pieces_do_not_belong_together(guard: Transport) -> None:
    found = findings(guard, "나래역 5번 출구로 나오세요.")

    assert {each.code for each in found} == {"transport.differs"}
    assert [each.fix for each in found] == [None, None]


def test_another_means_of_travel_is_a_weak_sign(guard: Transport) -> None:
    [finding] = findings(guard, "택시로 이동하실 수도 있습니다.")

    assert (finding.code, finding.severity) == ("transport.mode", Severity.WEAK)


def test_what_the_question_names_may_be_repeated(guard: Transport) -> None:
    answer = "12호선이나 택시로 이동하는 길은 안내에 없지만 오후 3시부터 체크인합니다."
    question = "12호선이나 택시로 가면 되나요?"

    assert findings(guard, answer, SILENT, question) == []
    strict = Transport(TransportSettings(allow_from_question=False))
    assert len(findings(strict, answer, SILENT, question)) == 1


def test_station_in_a_title_counts(guard: Transport) -> None:
    sources = (Source("1", "라온역에서 오시는 길", "지하철을 타고 온다."),)

    assert findings(guard, "라온역에서 내리세요.", sources) == []
