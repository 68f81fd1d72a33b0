"""What a second request says about a real first answer."""

import pytest

from guards.core.exchange import Exchange, Source
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


def judged(answer: str, sources: tuple[Source, ...] = SOURCES) -> Candidate:
    said = Answer(0, answer, tool_turn=False, finish_reason="stop")
    return judged_whole(
        INSPECTOR,
        Exchange(QUESTION, sources),
        PlainReply(b"", {}, (said,)),
        may_regenerate=True,
        may_edit=False,
    )


def told_about(answer: str, sources: tuple[Source, ...] = SOURCES) -> list[str]:
    return note_about([judged(answer, sources)], POLICY.regeneration).splitlines()


def allowed(lines: list[str]) -> dict[str, str]:
    """Return what the note allows, by kind."""
    found = [line.removeprefix("허용 ") for line in lines if line.startswith("허용 ")]
    return {
        kind.partition("(")[0]: values for kind, _, values in (one.partition(": ") for one in found)
    }


LISTED = [
    pytest.param(
        "대출 기간은 30일입니다.", "수치", ["21일", "4일"], ["150원", "7권"], id="figures"
    ),
    pytest.param(
        "제88조에 따라 7권까지 빌립니다.", "조문", ["제6조", "제9조"], ["150원"], id="provisions"
    ),
    pytest.param(
        "자료실 번호는 02-999-8765입니다.", "연락처", ["02-000-1234"], ["21일"], id="contacts"
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


def test_a_wrong_contact_is_one_fault_with_contacts_to_choose_from() -> None:
    lines = told_about("자료실 번호는 02-999-8765입니다.")

    assert [line[:2] for line in lines[1:-1]] == ["1)", "허용"]
    assert not any("개인정보" in line for line in lines)


def test_a_word_whose_reading_is_known_is_told_with_it() -> None:
    lines = told_about("图书는 许可 뒤에 빌립니다. 대출 期间은 21일입니다.")

    assert [line.partition("바르게 쓰면: ")[2] for line in lines[1:4]] == ["도서", "", "기간"]


def test_a_list_that_would_have_to_be_cut_short_is_left_out() -> None:
    prices = " ".join(f"{number}호실은 {number}500원이다." for number in range(1, 40))
    sources = (*SOURCES, Source("3", "요금", prices))

    assert allowed(told_about("연체료는 하루에 990원입니다.", sources)) == {}


def test_a_kind_of_which_the_sources_hold_nothing_is_said_to_be_empty() -> None:
    lists = allowed(told_about("문의는 02-999-8765로 하세요.", SOURCES[:1]))

    assert lists["연락처"].startswith("없음")


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
