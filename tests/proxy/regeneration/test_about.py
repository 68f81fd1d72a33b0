"""What a second request says about a real first answer."""

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.reading import Text
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from proxy.candidates import Candidate
from proxy.openai_api.answer import Answer
from proxy.openai_api.chat import PlainReply
from proxy.pipeline.regeneration import note_about
from tests.fakes.judging import judged_whole

POLICY = load_shipped("default").policy
INSPECTOR = Inspector(POLICY)
SOURCES = (
    Source(
        "1",
        "제6조(대출)",
        "도서는 한 번에 7권까지 빌릴 수 있다. 대출 기간은 21일로 한다. 연체료는 하루에 150원이다.",
    ),
    Source(
        "2",
        "제9조(예약)",
        "예약한 도서는 알림을 받은 날부터 4일 안에 찾아간다. 문의는 자료실(02-000-1234)에서 한다.",
    ),
)
QUESTION = "도서 대출과 예약은 어떻게 하나요?"
FOUR_TRUE = (
    "도서는 한 번에 7권까지 빌릴 수 있습니다. 대출 기간은 21일입니다. 연체료는 하루에 150원입니다. "
    "예약한 도서는 알림을 받은 날부터 4일 안에 찾아가야 합니다."
)


def judged(
    answer: str, sources: tuple[Source, ...] = SOURCES, question: str = QUESTION
) -> Candidate:
    said = Answer(0, answer, tool_turn=False, finish_reason="stop")
    return judged_whole(
        INSPECTOR,
        Exchange(question, sources),
        PlainReply(b"", {}, (said,)),
        may_regenerate=True,
        may_edit=False,
    )


def told_about(
    answer: str, sources: tuple[Source, ...] = SOURCES, question: str = QUESTION
) -> list[str]:
    return note_about([judged(answer, sources, question)], POLICY.regeneration).splitlines()


def allowed(lines: list[str]) -> dict[str, str]:
    """Return what the note allows, by kind."""
    found = [line.removeprefix("허용 ") for line in lines if line.startswith("허용 ")]
    return {
        kind.partition("(")[0]: values for kind, _, values in (one.partition(": ") for one in found)
    }


LISTED = [
    pytest.param(
        "제88조에 따라 7권까지 빌립니다.", "조문", ["제6조", "제9조"], ["150원"], id="provisions"
    ),
    pytest.param(
        "대출 기간은 21일입니다[8].",
        "출처",
        ["[1] 제6조(대출)", "[2] 제9조(예약)"],
        ["21일"],
        id="sources",
    ),
]


@pytest.mark.parametrize(("answer", "kind", "held", "left_out"), LISTED)
def test_only_values_of_the_kind_that_was_wrong_are_listed(
    answer: str, kind: str, held: list[str], left_out: list[str]
) -> None:
    lists = allowed(told_about(answer))

    assert list(lists) == [kind]
    assert all(value in lists[kind] for value in held)
    assert not any(value in lists[kind] for value in left_out)


def test_a_wrong_contact_is_one_fault() -> None:
    lines = told_about("자료실 번호는 02-999-8765입니다.")

    assert [line[:2] for line in lines[1:-1]] == ["1)"]
    assert not any("개인정보" in line for line in lines)


def test_a_word_whose_reading_is_known_is_told_with_it() -> None:
    lines = told_about("图书는 许可 뒤에 빌립니다. 대출 期间은 21일입니다.")

    assert [line.partition("바르게 쓰면: ")[2] for line in lines[1:4]] == ["도서", "", "기간"]


def test_a_list_that_would_have_to_be_cut_short_is_left_out() -> None:
    articles = " ".join(f"제{number}조(예약) {number}층에서 한다." for number in range(20, 60))
    sources = (*SOURCES, Source("3", "운영 규정", articles))

    assert allowed(told_about("제88조에 따라 7권까지 빌립니다.", sources)) == {}


def test_a_kind_of_which_the_sources_hold_nothing_is_said_to_be_empty() -> None:
    lists = allowed(told_about("제88조에 따라 3권입니다.", (Source("1", "안내", "3권을 빌린다."),)))

    assert lists["조문"].startswith("없음")


ROOMS = Source(
    "1",
    "객실 요금",
    "| 객실 | 주중 | 주말 |\n|---|---|---|\n| 스탠다드 | 120,000원 | 150,000원 |\n"
    "| 디럭스 | 180,000원 | 210,000원 |",
)
BOOK = Source(
    "1",
    "연락처",
    "| 부서 | 전화번호 |\n|---|---|\n| 프런트 | 033-000-1111 |\n| 예약실 | 033-000-2222 |",
)
FLOORS = Source("1", "층별 안내", "소강당은 3층에 있습니다. 대강당은 지하 1층에 있습니다.")
BRANCH = Source("1", "서초점 안내", "주차장은 지하 2층에 있습니다. 체크인은 오후 3시부터입니다.")
SEOCHO = Source("1", "서초점 안내", "대표 번호: 02-000-1111")
LEAVE = Source(
    "1",
    "경조휴가",
    "본인이 결혼하는 경우 경조휴가 5일을 준다. 자녀가 결혼하는 경우 경조휴가 1일을 준다.",
)
REFUNDS = Source(
    "1",
    "환불",
    "수업 시작 7일 전에 취소하면 80% 환불됩니다. 수업 시작 3일 전에 취소하면 50% 환불됩니다.",
)
FORMS = Source("1", "휴가", "휴가 신청서는 인사팀에 제출합니다.")
HIRE = Source("1", "대관", "회원 대관료는 시간당 10,000원입니다.")
LAST_YEARS = Source("1", "2024년 수강료 안내", "수강료는 월 80,000원입니다.")
WAY = Source("1", "오시는 길", "공항에서 지하철 5호선을 타고 광화문역에서 내리면 됩니다.")
PARKING = Source("1", "주차 요금", "- 일반: 시간당 3,000원\n- 정기권: 월 80,000원")

OF_THE_SAME = [
    pytest.param("디럭스 주말 요금은?", "디럭스 주말 요금은 250,000원입니다.", ROOMS, "210,000원"),
    pytest.param("정기권은 얼마인가요?", "정기권은 월 50,000원입니다.", PARKING, "80,000원"),
    pytest.param("프런트 번호는?", "프런트 번호는 033-000-2222입니다.", BOOK, "033-000-1111"),
    pytest.param("대강당은 몇 층인가요?", "대강당은 3층에 있습니다.", FLOORS, "지하 1층"),
    pytest.param(
        "본인 결혼 경조휴가는 며칠인가요?", "본인 결혼 경조휴가는 3일입니다.", LEAVE, "5일"
    ),
    pytest.param("휴가 신청서는 어디에 내나요?", "휴가 신청서는 총무팀에 냅니다.", FORMS, "인사팀"),
    pytest.param("공항에서 어떻게 가나요?", "공항에서 지하철 9호선을 타면 됩니다.", WAY, "5호선"),
]
OF_ANOTHER = [
    pytest.param(
        "스위트 요금은?", "스위트 주말 요금은 1박 300,000원이 아니라 350,000원입니다.", ROOMS
    ),
    pytest.param("비회원 대관료는?", "비회원 대관료는 시간당 20,000원입니다.", HIRE),
    pytest.param("강남점 주차장은 몇 층인가요?", "주차장은 지하 4층에 있습니다.", BRANCH),
    pytest.param("강남점 체크인은 몇 시인가요?", "강남점 체크인은 오후 4시부터입니다.", BRANCH),
    pytest.param("강남점 대표 번호는?", "강남점 대표 번호는 02-999-9999입니다.", SEOCHO),
    pytest.param("2026년 수강료는 얼마인가요?", "2026년 수강료는 월 90,000원입니다.", LAST_YEARS),
    pytest.param("형제 결혼 경조휴가는?", "형제가 결혼하는 경우 경조휴가는 2일입니다.", LEAVE),
    pytest.param("환불되나요?", "수업 시작 5일 전에 취소하면 70% 환불됩니다.", REFUNDS),
    pytest.param("출장 보고서는 어디에 내나요?", "출장 보고서는 총무팀에 제출합니다.", FORMS),
    pytest.param("부산역에서 어떻게 가나요?", "부산역에서 지하철 3호선을 타면 됩니다.", WAY),
    pytest.param("조식당은 몇 층인가요?", "조식당은 5층에 있습니다.", FLOORS),
]


@pytest.mark.parametrize(("question", "answer", "source", "value"), OF_THE_SAME)
def test_a_value_of_the_thing_that_was_asked_about_is_named(
    question: str, answer: str, source: Source, value: str
) -> None:
    assert value in "\n".join(told_about(answer, (source,), question)[1:-1])


@pytest.mark.parametrize(("question", "answer", "source"), OF_ANOTHER)
def test_no_value_of_another_thing_is_named(question: str, answer: str, source: Source) -> None:
    faults = told_about(answer, (source,), question)[1:-1]

    assert faults[0].startswith("1) ")
    own = {value.text for value in Text(f"{question} {answer}").quantities}
    foreign = {value.text for value in Text(f"{source.title}\n{source.text}").quantities} - own
    assert not any(value in line for value in foreign for line in faults)
    assert not any(one.text in line for one in Text(source.text).contacts for line in faults)
    assert not any("인사팀" in line for line in faults)


def test_sentences_that_stand_are_kept_if_they_are_most_of_the_answer() -> None:
    mostly_true = told_about(f"{FOUR_TRUE} 자료실 번호는 02-999-8765입니다.")
    half_true = told_about("대출 기간은 21일입니다. 자료실 번호는 02-999-8765입니다.")

    [kept] = [line for line in mostly_true if "유지하세요" in line]
    assert "대출 기간은 21일입니다." in kept
    assert "02-999-8765" not in kept
    assert not any("유지하세요" in line for line in half_true)


def test_nothing_is_kept_of_several_answers() -> None:
    failed = judged(f"{FOUR_TRUE} 자료실 번호는 02-999-8765입니다.")

    assert "유지하세요" not in note_about([failed, failed], POLICY.regeneration)
