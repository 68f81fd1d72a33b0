"""What leaves through the gate, when, and what is done about what may not."""

from policies.gating.shown import Kind
from policies.schema.policy import Action, Trimming
from tests.policies.gating.hall import (
    BOOKING,
    CALL,
    CANCELLING,
    CROWD,
    DEPOSIT,
    FEE,
    PARKING,
    PLACES,
    SOUND,
    WRITE,
    Passage,
    begun,
    known,
    passed,
)
from tests.tables import each_row

STEPS = "대관 절차는 다음과 같습니다.\n"
MANY = Trimming(most_claims=5, most_share=0.5)


def steps(passage: Passage) -> list[str]:
    return [released.text for released in passage.releases]


# --- good answers ---------------------------------------------------------------------------------


def test_a_sentence_leaves_as_soon_as_the_next_one_begins() -> None:
    passage = begun()

    passage.feed(FEE)
    assert passage.gate.shown == ""
    passage.feed(" 예")

    assert passage.gate.shown == FEE
    assert passage.releases[0].as_it_came


def test_the_last_sentence_leaves_when_the_whole_was_judged() -> None:
    passage = passed(f"{FEE} {BOOKING} {PARKING}\n")

    assert passage.gate.shown == f"{FEE} {BOOKING}"
    assert [look.kind for look, _ in passage.looks][-1] is Kind.WHOLE
    assert passage.left == f"{FEE} {BOOKING} {PARKING}\n"


def test_only_what_has_not_left_is_looked_at_for_mending() -> None:
    passage = passed(f"{FEE} {BOOKING} {PARKING}")

    assert [look.possible.edit_from for look, _ in passage.looks] == [
        0,
        len(FEE),
        len(f"{FEE} {BOOKING}"),
    ]


def test_a_gate_that_holds_looks_once() -> None:
    passage = passed([f"{FEE} ", BOOKING, f" {PARKING}"], begun(holds=True))

    assert [look.kind for look, _ in passage.looks] == [Kind.WHOLE]
    assert passage.gate.shown == ""


def test_an_answer_with_our_own_marks_waits_for_its_list() -> None:
    passage = passed(f"{FEE} {BOOKING}[†1] {PARKING} {DEPOSIT}")

    assert passage.gate.shown == FEE


@each_row("answer", ["", " \n", "<think>대관료를 묻는다.</think>"])
def test_nothing_to_read_is_not_looked_at(answer: str) -> None:
    passage = passed(answer)

    assert passage.looks == []
    assert passage.gate.verdict is None
    assert passage.gate.recorded(None) is None


def test_thoughts_leave_with_the_first_sentence_and_are_not_judged() -> None:
    thoughts = f"<think>{CALL}</think>\n"

    passage = passed(f"{thoughts}{FEE} {BOOKING} {PARKING}")

    assert steps(passage) == [f"{thoughts}{FEE}", f" {BOOKING}"]
    assert all(verdict.action is Action.PASS for _, verdict in passage.looks)


SECTION = f"## 안내\n\n{BOOKING} {CANCELLING} {PARKING} {PLACES}"


def read_with(answer: str) -> list[str]:
    """Return what was read before each segment."""
    looks = [look for look, _ in passed([*answer]).looks if look.kind is Kind.SEGMENT]
    return [(look.exchange.answer or "")[: look.possible.edit_from] for look in looks]


def test_a_segment_is_read_with_its_section_and_not_with_all_before_it() -> None:
    before = read_with("\n\n".join([FEE, *[SECTION] * 25]))

    assert all(text.startswith("\n\n## 안내") for text in before if len(text) > 1050)
    assert 1000 < max(map(len, before)) < 1150


def test_an_item_is_read_with_the_beginning_of_its_list() -> None:
    items = (BOOKING, CANCELLING, PARKING, PLACES, DEPOSIT, SOUND) * 2
    steps = "\n\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))

    last = read_with(f"{FEE}\n\n{SECTION}\n\n{STEPS}{steps}")[-1]

    assert f"{STEPS}1. {BOOKING}" in last
    assert f"10. {PLACES}" in last


# --- a second attempt -----------------------------------------------------------------------------


def test_a_bad_first_sentence_stops_the_attempt() -> None:
    passage = passed([f"{CALL} ", f"{FEE} ", BOOKING], begun(may_regenerate=True))

    gate = passage.gate
    assert (gate.stopped, gate.shown, gate.text) == (True, "", CALL)
    assert gate.verdict is not None
    assert gate.verdict.action is Action.REGENERATE
    assert len(passage.looks) == 1


def test_a_sentence_that_may_still_turn_out_true_stops_nothing() -> None:
    passage = passed(f"{CROWD} {FEE} {BOOKING} {PARKING}", begun(may_regenerate=True))

    assert not passage.gate.stopped
    assert passage.gate.shown == ""


def test_there_is_no_second_attempt_once_anything_has_left() -> None:
    passage = passed(f"{FEE} {CALL} {BOOKING} {PARKING}", begun(may_regenerate=True))

    assert not passage.gate.stopped
    assert passage.left == f"{FEE} {BOOKING} {PARKING}"


# --- taking out -----------------------------------------------------------------------------------


@each_row("answer, left", "taken_out")
def test_leaves_without(answer: str, left: str) -> None:
    assert passed(answer).left == left


@each_row("signs", "so_do_those_of_lists_that_count_otherwise")
def test_so_do_those_of_lists_that_count_otherwise(signs: list[str]) -> None:
    def counted(*items: str) -> str:
        pairs = zip(signs, items, strict=False)
        return "\n".join([FEE, *(f"{sign} {item}" for sign, item in pairs)])

    passage = passed(list(counted(BOOKING, CALL, PARKING, SOUND)))

    assert passage.left == counted(BOOKING, PARKING, SOUND)
    assert passage.gate.shown == counted(BOOKING, PARKING)


def numbered(items: tuple[str, ...]) -> str:
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))


@each_row("ending", ["", f"\n\n{PLACES}\n\n1. {CANCELLING}\n2. {FEE}"])
@each_row("items, left", "numbered")
def test_the_numbers_of_a_list_close_the_gap(
    items: tuple[str, ...], left: tuple[str, ...], ending: str
) -> None:
    before = f"{FEE}\n\n{STEPS}"

    passage = passed(f"{before}{numbered(items)}{ending}", begun(trimming=MANY))

    assert passage.left == f"{before}{numbered(left)}{ending}"


def test_items_behind_a_gap_leave_one_by_one() -> None:
    answer = f"{FEE}\n{numbered((BOOKING, CALL, PARKING, SOUND, DEPOSIT))}"

    assert steps(passed(answer)) == [
        FEE,
        f"\n1. {BOOKING}",
        f"\n2. {PARKING}",
        f"\n3. {SOUND}",
    ]


def test_ten_items_become_nine() -> None:
    items = (BOOKING, CALL, PARKING, SOUND, DEPOSIT, PLACES, CANCELLING, FEE, SOUND, PARKING)

    left = passed(f"{FEE}\n{numbered(items)}\n\n{BOOKING}").left

    assert left == f"{FEE}\n{numbered((BOOKING, *items[2:]))}\n\n{BOOKING}"


def test_an_item_of_which_a_sentence_stays_keeps_its_number() -> None:
    items = (BOOKING, f"{CALL} {CANCELLING}", PARKING, f"{WRITE} {SOUND}", DEPOSIT)
    few = Trimming(most_claims=1)

    assert passed(f"{FEE}\n{numbered(items)}", begun(trimming=MANY)).left == (
        f"{FEE}\n{numbered((BOOKING, CANCELLING, PARKING, SOUND, DEPOSIT))}"
    )
    verdict = passed(f"{FEE}\n{numbered(items)}", begun(trimming=few)).gate.verdict
    assert verdict is not None
    assert verdict.action is Action.REPLACE


def test_findings_are_recorded_where_they_stand_in_what_came() -> None:
    answer = f"{FEE}\n{numbered((BOOKING, CALL, PARKING, SOUND, CROWD))}\n{DEPOSIT}"
    passage = passed(answer, begun(trimming=MANY))

    recorded = passage.gate.recorded(passage.gate.verdict)

    assert recorded is not None
    assert recorded.action is Action.TRIM
    places = {answer[found.span.start : found.span.end] for found in recorded.acting}
    assert places == {"02-7777-1234", "77명"}
    assert passage.left == f"{FEE}\n{numbered((BOOKING, PARKING, SOUND))}\n{DEPOSIT}"


def test_no_more_is_taken_out_than_the_policy_allows() -> None:
    passage = passed(f"{FEE} {CALL} {BOOKING} {PARKING} {SOUND} {DEPOSIT} {WRITE}")

    verdict = passage.gate.verdict
    assert passage.gate.shown == f"{FEE} {BOOKING} {PARKING} {SOUND} {DEPOSIT}"
    assert verdict is not None
    assert verdict.action is Action.REPLACE


MANY_ITEMS = [
    f"{words} {item}"
    for words in (
        *("공지한 대로", "안내문에 따라", "전과 같이", "언제나", "알려 드린 대로"),
        *("규칙에 따라", "예전처럼", "올해도", "내년에도", "지금도"),
    )
    for item in (BOOKING, CANCELLING, PARKING, PLACES, DEPOSIT, SOUND)
]


def with_items(opening: str) -> str:
    items = [*MANY_ITEMS[:-1], CALL, MANY_ITEMS[-1]]
    return "\n- ".join([f"{FEE}\n\n{opening}", *items])


def test_items_that_were_counted_long_before_are_not_taken_out() -> None:
    passage = passed([*with_items("이용 수칙은 61가지입니다.")])

    assert len(passage.looks[-2][0].exchange.answer or "") < len(passage.gate.shown)
    assert passage.gate.verdict is not None
    assert passage.gate.verdict.action is Action.REPLACE


def test_items_that_nobody_counted_are() -> None:
    passage = passed(with_items("이용 수칙입니다."))

    assert passage.left == with_items("이용 수칙입니다.").replace(f"\n- {CALL}", "")


# --- the list of references -----------------------------------------------------------------------


@each_row("lines, left", "listed")
@each_row("size", [1, 1000])
def test_a_source_that_only_a_sentence_cited_which_is_gone_is_not_listed(
    lines: str, left: str, size: int
) -> None:
    answer = f"{FEE}[1] {CALL}[2] {PARKING}[1]\n\n**출처**\n{lines}"

    passage = passed([answer[at : at + size] for at in range(0, len(answer), size)])

    assert passage.left == f"{FEE}[1] {PARKING}[1]{left}"
    assert passage.gate.shown == f"{FEE}[1] {PARKING}[1]"


def test_a_list_never_leaves_without_its_heading_however_the_answer_arrives() -> None:
    lines = "- [1] 샛별관 이용 안내\n- [2] 수련실 이용 규정\n- [7] 없는 안내"
    answer = f"{FEE} {CALL}[1] {PARKING}\n\n**출처**\n{lines}"

    streamed, at_once = passed(list(answer)).left, known(answer).left

    assert at_once == streamed
    assert "**출처**" in at_once or "- [" not in at_once


def test_a_list_of_which_nothing_went_leaves_as_it_is() -> None:
    answer = f"{FEE}[1] {BOOKING}[1] {PARKING}\n\n**출처**\n- [1] 샛별관 이용 안내\n- [2] 수련실"

    assert passed(answer).left == answer


def test_a_list_stays_where_it_may_not_change() -> None:
    answer = f"{FEE}[1] {CALL}[2] {PARKING}[1]\n\n**출처**\n- [1] 샛별관 안내\n- [2] 수련실"

    passage = passed(answer, begun(may_unlist=False))

    assert passage.left.endswith("- [2] 수련실")


# --- cut answers ----------------------------------------------------------------------------------


def test_a_torn_sentence_that_looks_wrong_is_left_out() -> None:
    passage = passed(f"{FEE} {BOOKING} 문의는 02-7777-1234", cut=True)

    assert passage.left == f"{FEE} {BOOKING}"
    assert passage.gate.verdict is not None
    assert passage.gate.verdict.action is Action.PASS


def test_a_torn_sentence_that_is_right_stays() -> None:
    passage = passed(f"{FEE} {BOOKING} 음향 장비는 무료로 빌릴", cut=True)

    assert passage.left == f"{FEE} {BOOKING} 음향 장비는 무료로 빌릴"


@each_row("pieces", [1, 7, 1000])
def test_what_waits_is_not_lost_with_a_torn_sentence(pieces: int) -> None:
    answer = f"{FEE} {CROWD} {PARKING} 문의는 02-7777-1234"
    sliced = [answer[at : at + pieces] for at in range(0, len(answer), pieces)]

    assert passed(sliced, cut=True).left == f"{FEE} {PARKING}"


def test_a_right_torn_sentence_stays_where_another_is_taken_out() -> None:
    passage = passed(f"{FEE} {CROWD} {PARKING} 음향 장비는 무료로 빌릴", cut=True)

    assert passage.left == f"{FEE} {PARKING} 음향 장비는 무료로 빌릴"


def test_an_answer_that_is_all_torn_is_judged_as_it_is() -> None:
    passage = passed("문의는 02-7777-1234", cut=True)

    assert passage.gate.verdict is not None
    assert passage.gate.verdict.action is Action.REPLACE


# --- turns that call tools ------------------------------------------------------------------------


def test_what_is_said_before_a_call_leaves_before_it() -> None:
    passage = begun()
    passage.feed(f"{FEE} {BOOKING}\n")
    passage.gate.pause()
    passage.go_on()

    assert passage.gate.shown == f"{FEE} {BOOKING}\n"
    passage.close(in_tool_turn=True)
    assert [look.kind for look, _ in passage.looks] == [Kind.SEGMENT, Kind.TURN]
    assert passage.gate.verdict is None


def test_a_call_without_words_is_not_looked_at() -> None:
    passage = passed("", in_tool_turn=True)

    assert passage.looks == []


def test_what_is_said_after_a_call_leaves_once() -> None:
    passage = begun()
    passage.feed(f"{FEE} \n")
    passage.gate.pause()
    passage.go_on()
    passage.feed(f"{BOOKING} {PARKING}")
    passage.close(in_tool_turn=True)

    assert passage.gate.shown == f"{FEE} \n{BOOKING} {PARKING}"
    assert passage.gate.done == len(passage.gate.text)


def test_bad_words_beside_a_call_are_taken_out() -> None:
    passage = passed(CALL, in_tool_turn=True)

    assert (passage.gate.shown, passage.gate.done) == ("", len(CALL))
    recorded = passage.gate.recorded(None)
    assert recorded is not None
    assert recorded.action is Action.TRIM
    assert {CALL[one.span.start : one.span.end] for one in recorded.acting} == {"02-7777-1234"}


@each_row("is_known", [False, True])
def test_bad_words_before_others_and_a_call_stop_the_attempt(is_known: bool) -> None:
    passage = begun(may_regenerate=True)
    said = f"{CALL} {FEE}"
    if is_known:
        passage.gate.feed(said)
    else:
        passage.feed(said)

    passage.close(in_tool_turn=True)

    assert (passage.gate.stopped, passage.gate.text, passage.gate.shown) == (True, CALL, "")


def test_bad_words_after_a_call_are_taken_out() -> None:
    passage = begun(may_regenerate=True)
    passage.gate.pause()
    passage.go_on()
    passage.feed(f"{CALL} {FEE}")
    passage.close(in_tool_turn=True)

    assert (passage.gate.stopped, passage.gate.shown) == (False, FEE)


# --- JSON -----------------------------------------------------------------------------------------


def test_json_is_judged_whole_and_by_its_values() -> None:
    answer = f'{{"답": "{FEE} {BOOKING}", "문의": "{CALL}"}}'
    passage = begun(structured=True, holds=True, may_edit=False)

    passed(list(answer), passage)

    [(look, verdict)] = passage.looks
    assert look.exchange.answer is not None
    assert '문의"' not in look.exchange.answer
    assert verdict.action is Action.REPLACE
