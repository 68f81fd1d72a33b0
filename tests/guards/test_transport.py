import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.text.sentences import split_sentences
from guards.transport import Transport, TransportSettings

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


FLAGGED = [
    pytest.param(
        "본사는 지하철 16호선 가온역 5번 출구에서 걸어갑니다.",
        "16호선",
        ("11호선",),
        "11호선",
        id="line-that-stands-nowhere",
    ),
    pytest.param(
        "본사는 지하철 13호선 가온역 5번 출구에서 도보로 이동합니다.",
        "13호선",
        ("11호선",),
        "11호선",
        id="line-of-another-place",
    ),
    pytest.param(
        "공장은 13호선 나래역 7번 출구 앞에 있습니다.",
        "7번 출구",
        ("2번 출구",),
        "2번 출구",
        id="exit",
    ),
    pytest.param(
        "본사는 11호선 다솜역 5번 출구에서 도보로 이동합니다.",
        "다솜역",
        ("가온역",),
        "가온역",
        id="station",
    ),
    pytest.param(
        "200번 버스를 타고 가온마을 정류장에서 내리세요.",
        "200번",
        ("100번", "5-1번"),
        None,
        id="bus-with-two-candidates",
    ),
    pytest.param("심야에는 N98번 버스가 다닙니다.", "N98번", ("N99번",), "N99번", id="night-bus"),
]
INVENTED = [
    pytest.param("지하철 12호선을 타고 오세요.", "12호선", id="line"),
    pytest.param("신분당선을 타면 됩니다.", "신분당선", id="named-line"),
    pytest.param("라온역에서 내리시면 됩니다.", "라온역", id="station"),
    pytest.param("3번 출구로 나오세요.", "3번 출구", id="exit"),
    pytest.param("M9999번 버스를 타세요.", "M9999번", id="bus"),
    pytest.param("택시로 20분 걸립니다.", "택시", id="taxi"),
    pytest.param("공항에서 셔틀버스를 이용하세요.", "셔틀버스", id="shuttle"),
    pytest.param("도보로 이동하실 수 있습니다.", "도보", id="walk"),
]
CLEAN = [
    pytest.param("본사에는 100번 버스가 갑니다 (출처: 7번).", id="number-of-a-source"),
    pytest.param("본사에는 100번 버스가 갑니다. (※ 출처: 7번 자료)", id="number-of-a-document"),
    pytest.param("본사는 지하철 십일호선 가온역 5번 출구에서 걸어서 갑니다.", id="line-in-words"),
    pytest.param("본사는 11 호선 가온역 5번출구입니다.", id="spacing"),
    pytest.param("5-1번이나 100번 버스를 타고 가온마을 정류소에서 내리세요.", id="other-order"),
    pytest.param("공장은 나래역 2번 출구 앞입니다. 본사는 가온역입니다.", id="two-ways"),
    pytest.param("전철을 타고 가온역에서 내립니다.", id="same-means-in-another-word"),
    pytest.param("이 지역은 버스가 다니는 구역입니다.", id="words-that-end-like-stations"),
    pytest.param("버스는 하루 3번 다닙니다.", id="how-often-is-no-route"),
    pytest.param("지하철역은 자료에서 확인되지 않습니다.", id="abstention"),
    pytest.param("`route --line=12`", id="code"),
    pytest.param("교통편은 본사에 문의해 주세요.", id="no-way"),
]


@pytest.mark.parametrize(("answer", "observed", "expected", "fix"), FLAGGED)
def test_flags_what_differs_from_the_same_way(
    guard: Transport, answer: str, observed: str, expected: tuple[str, ...], fix: str | None
) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.strength) == ("transport.differs", Strength.C2)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed
    assert finding.expected == expected
    assert finding.fix == fix
    assert expected[0] in finding.evidence[0].quote


@pytest.mark.parametrize(("answer", "observed"), INVENTED)
def test_flags_a_way_where_the_sources_have_none(
    guard: Transport, answer: str, observed: str
) -> None:
    [finding] = [
        each for each in findings(guard, answer, SILENT) if each.severity is Severity.STRONG
    ]

    assert (finding.code, finding.strength) == ("transport.invented", Strength.E0)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed


@pytest.mark.parametrize("answer", CLEAN)
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


@given(
    st.lists(
        st.sampled_from([each.text for each in split_sentences(f"{OFFICE}\n{FACTORY}")]),
        min_size=1,
        max_size=4,
    )
)
def test_sentences_of_the_source_are_never_flagged(sentences: list[str]) -> None:
    assert findings(Transport(TransportSettings()), "\n".join(sentences)) == []


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("길?", SOURCES), "no_answer"),
        (Exchange("길?", answer="2호선입니다."), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Transport, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason
