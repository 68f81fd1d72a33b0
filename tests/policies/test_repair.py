"""What is mended together with something else: numbers of a list, lines of the references."""

from policies.schema.policy import Action
from tests.policies.gating.hall import BOOKING, CALL, FEE, PARKING, PLACES, SOUND, begun, passed
from tests.tables import each_row

HEADING = "\n\n**출처**\n"
KNOWN = "- [1] 샛별관 이용 안내"
ABSENT = "산들관 관리 규정 제99조(기타)"


def test_a_list_that_repeats_itself_is_counted_anew() -> None:
    items = "\n".join(f"{number}. {BOOKING}" for number in range(1, 5))

    passage = passed(f"{FEE}\n\n{items}\n5. {SOUND}\n6. {PARKING}\n", begun(holds=True))

    assert passage.left == f"{FEE}\n\n1. {BOOKING}\n2. {SOUND}\n3. {PARKING}\n"


@each_row("holds", [True, False])
def test_a_source_that_does_not_exist_goes_with_the_law_that_it_names(holds: bool) -> None:
    lines = f"{KNOWN}\n- [7] {ABSENT}"

    passage = passed(f"{FEE}[1] {PARKING}[1] {SOUND}[7]{HEADING}{lines}", begun(holds=holds))

    assert passage.left == f"{FEE}[1] {PARKING}[1] {SOUND}{HEADING}{KNOWN}"
    assert passage.gate.verdict is not None
    assert passage.gate.verdict.action is Action.FIX


@each_row("holds, mark, line", "cited")
def test_lines_of_the_references_are_counted_like_the_marks(
    holds: bool, mark: str, line: str
) -> None:
    lines = "1. 샛별관 이용 안내\n2. 문의 안내\n3. 수련실 이용 규정"
    answer = f"{FEE}[1] {CALL}[2] {PARKING}[1] {PLACES}[3]{HEADING}{lines}"

    passage = passed(answer, begun(holds=holds))

    listed = f"{HEADING}1. 샛별관 이용 안내\n{line}수련실 이용 규정"
    assert passage.left == f"{FEE}[1] {PARKING}[1] {PLACES}{mark}{listed}"


def test_a_law_that_does_not_exist_does_not_leave_in_a_sentence() -> None:
    passage = passed(f"{FEE} {ABSENT}에 따라 {PARKING}", begun(holds=True))

    assert passage.gate.verdict is not None
    assert passage.gate.verdict.action is Action.REPLACE
