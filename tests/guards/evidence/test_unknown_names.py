import pytest

from guards.core.exchange import Source
from guards.core.reading import SourceSet
from guards.evidence.unknown_names import UnknownName, unknown_name

Passage = tuple[str, list[str]]


def unknown(question: str, passages: list[Passage]) -> UnknownName | None:
    sources = (
        Source(str(number), title, "\n".join(sentences))
        for number, (title, sentences) in enumerate(passages)
    )
    return unknown_name(question, SourceSet(tuple(sources)))


GANGNAM = ("강남점 이용 안내", ["주차는 2시간 무료입니다."])
JAMSIL = ("잠실점 이용 안내", ["주차장이 없습니다."])
PLANS = ("요금제", ["베이직은 월 5,000원, 스탠다드는 월 9,000원입니다."])
PLANS_IN_ENGLISH = ("요금제", ["Basic 5,000원", "Premium 9,000원", "Standard 7,000원"])
FAULTS = ("장애 등급", ["P1은 10분 안에, P2는 30분 안에 보고한다."])
RECRUITING = ("2025년 신입생 모집 요강", ["접수는 3월 2일부터 한다."])
LEAVES = ("취업규칙", ["질병휴직은 6개월까지로 한다.", "가사휴직은 3개월까지로 한다."])
ARTICLES = [("근로기준법 제46조(휴업수당)", ["..."]), ("제60조(연차)", ["..."])]
ERRORS = ("에러 코드", ["C1~C9 코드는 서비스센터에 문의한다."])
FLIGHTS = ("수하물", ["이코노미는 23kg, 비즈니스는 32kg입니다."])
LINES = ("운행", ["1호선은 5시 30분, 2호선은 5시 40분에 첫차가 있다."])
AIRPORTS = ("김포공항 주차", ["1시간에 3,000원입니다."])
DELIVERY = ("배송", ["국내배송만 가능합니다.", "새벽배송만 7시 전에 도착합니다."])

UNKNOWN = [
    pytest.param("해운대점에도 주차장이 있나요?", [GANGNAM, JAMSIL], "해운대", id="branch"),
    pytest.param("부산 지점 전화번호요", [("서울 지점", ["02-000-0000"])], "부산", id="office"),
    pytest.param("제주 공항은 얼마예요?", [AIRPORTS], "제주", id="airport"),
    pytest.param("프리미엄 요금제는 얼마예요?", [PLANS], "프리미엄", id="plan"),
    pytest.param("퍼스트 클래스는 몇 kg까지예요?", [FLIGHTS], "퍼스트", id="class"),
    pytest.param("P4 등급은 언제까지 보고해요?", [FAULTS], "p4", id="code"),
    pytest.param("9호선 첫차는요?", [LINES], "9호선", id="line"),
    pytest.param("2026년 모집 요강 나왔나요?", [RECRUITING], "2026", id="edition"),
    pytest.param("근로기준법 제70조는 무슨 내용이에요?", ARTICLES, "제70조", id="article"),
    pytest.param("육아휴직은 몇 개월이에요?", [LEAVES], "육아휴직", id="compound"),
]
KNOWN_OR_NO_NAME = [
    pytest.param("강남점에도 주차장이 있나요?", [GANGNAM, JAMSIL], id="known-branch"),
    pytest.param("강남에 있는 매장 주차 되나요?", [GANGNAM, JAMSIL], id="place-of-a-branch"),
    pytest.param("가까운 지점은 어디예요?", [GANGNAM, JAMSIL], id="any-branch"),
    pytest.param("휴대폰 판매점에서 사도 되나요?", [GANGNAM, JAMSIL], id="common-word"),
    pytest.param("스마트폰 해지는 매장 가야 돼요?", [GANGNAM, JAMSIL], id="verb-before-a-shop"),
    pytest.param("어제 결제한 시점부터인가요?", [GANGNAM], id="another-word-in-점"),
    pytest.param("해운대에서 가면 얼마나 걸려요?", [GANGNAM], id="where-the-user-is"),
    pytest.param("프리미엄 요금제는 얼마예요?", [PLANS_IN_ENGLISH], id="written-in-english"),
    pytest.param("P2 등급은 언제까지 보고해요?", [FAULTS], id="known-code"),
    pytest.param("C4 코드는 어떻게 해요?", [ERRORS], id="in-a-range"),
    pytest.param("2026년 입사자인데 접수해도 되나요?", [RECRUITING], id="the-users-own-year"),
    pytest.param("2026년 3월에 졸업했는데 되나요?", [RECRUITING], id="date"),
    pytest.param("근로기준법 제60조는 무슨 내용이에요?", ARTICLES, id="known-article"),
    pytest.param("질병휴직은 몇 개월이에요?", [LEAVES], id="known-compound"),
    pytest.param("해외배송도 되나요?", [DELIVERY], id="the-others-are-all-there-are"),
    pytest.param("무급 휴직도 있나요?", [LEAVES], id="no-compound"),
    pytest.param("P4 " + "등급과 장애와 보고와 서버 " * 20, [FAULTS], id="as-long-as-a-text"),
]


@pytest.mark.parametrize(("question", "passages", "name"), UNKNOWN)
def test_finds_a_name_that_no_source_knows(
    question: str, passages: list[Passage], name: str
) -> None:
    found = unknown(question, passages)

    assert found is not None
    assert found.asked == name
    assert found.known
    assert name not in found.known


@pytest.mark.parametrize(("question", "passages"), KNOWN_OR_NO_NAME)
def test_finds_none(question: str, passages: list[Passage]) -> None:
    assert unknown(question, passages) is None
