"""How a run is counted."""

import pytest

from policies.schema.policy import Action
from tests.quality.examining import (
    AnswerOutcome,
    FaithfulOutcome,
    Outcome,
    QuestionOutcome,
    TwinOutcome,
)
from tests.quality.figures import CodeFigures, Share, code_figures, set_figures

NONE: frozenset[str] = frozenset()


def codes(*names: str) -> frozenset[str]:
    return frozenset(names)


def faithful(
    action: Action = Action.PASS,
    found: frozenset[str] = NONE,
    *,
    verified: bool = False,
    claims_asked: int = 0,
) -> FaithfulOutcome:
    return FaithfulOutcome(action, (), found, verified, claims_asked)


def twin(
    kind: str = "number",
    *,
    at_place: frozenset[str] = NONE,
    action: Action = Action.PASS,
    found: frozenset[str] = NONE,
    verified: bool = False,
    offered: bool = False,
) -> TwinOutcome:
    return TwinOutcome(kind, "9일", "", action, at_place, NONE, found, verified, offered)


def case(field: str, answer: FaithfulOutcome, *twins: TwinOutcome) -> AnswerOutcome:
    return AnswerOutcome("a", field, answer, twins)


def asked(label: str, *, acted: bool, found: frozenset[str] = NONE) -> QuestionOutcome:
    return QuestionOutcome("?", label, acted, found)


def share(count: int, total: int) -> Share:
    return Share(count=count, total=total)


# --- shares ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        # From the formula's usual tables.
        pytest.param(8, 10, 0.4902, 0.9433, id="most"),
        pytest.param(0, 10, 0.0, 0.2775, id="none"),
        pytest.param(10, 10, 0.7225, 1.0, id="all"),
        pytest.param(50, 100, 0.4038, 0.5962, id="half"),
        pytest.param(0, 0, 0.0, 1.0, id="nothing-known"),
    ],
)
def test_the_interval_of_a_share(count: int, total: int, low: float, high: float) -> None:
    assert share(count, total).interval == pytest.approx((low, high), abs=5e-5)


# --- answers -----------------------------------------------------------------------------------

REGENERATE = Action.REGENERATE
CASES: list[Outcome] = [
    case(
        "hotel",
        faithful(claims_asked=2, verified=True),
        twin("number", at_place=codes("numbers.moved"), action=REGENERATE),
        twin("polarity", offered=True, verified=True),
    ),
    case(
        "tax",
        faithful(REGENERATE, claims_asked=1),
        twin("number", action=REGENERATE, offered=True),
        twin("polarity"),
    ),
]


def test_answers_are_counted_by_set_kind_and_field() -> None:
    counted = set_figures("a", "default", CASES).answers

    assert counted is not None
    assert counted.faithful_acted_on == share(1, 2)
    assert counted.found == share(1, 4)
    assert (counted.verified_faithful, counted.verified_wrong) == (share(1, 2), share(1, 4))
    assert counted.by_kind == {"number": share(1, 2), "polarity": share(0, 2)}
    acted = {name: one.faithful_acted_on for name, one in counted.by_field.items()}
    found = {name: one.found for name, one in counted.by_field.items()}
    assert acted == {"hotel": share(0, 1), "tax": share(1, 1)}
    assert found == {"hotel": share(1, 2), "tax": share(0, 2)}


def test_only_what_nothing_acted_on_can_be_offered_to_a_judge() -> None:
    counted = set_figures("a", "default", CASES).answers

    assert counted is not None
    assert counted.offered == share(1, 2)
    assert counted.claims_per_answer == 1.5


def test_questions_are_counted_by_what_they_are() -> None:
    outcomes: list[Outcome] = [
        asked("complaint", acted=True),
        asked("complaint", acted=False),
        asked("question", acted=False),
    ]

    counted = set_figures("c", "default", outcomes)

    assert counted.answers is None
    assert counted.questions == {"complaint": share(1, 2), "question": share(0, 1)}


# --- codes -------------------------------------------------------------------------------------


def only(rows: list[CodeFigures]) -> CodeFigures:
    [row] = rows
    return row


def test_the_precision_of_a_code_is_that_with_one_error_to_each_faithful_answer() -> None:
    moved = codes("numbers.moved")
    outcomes: list[Outcome] = [
        # Three of ten errors, and one of five faithful answers.
        *(case("hotel", faithful(), twin(found=moved), twin()) for _ in range(3)),
        case("hotel", faithful(found=moved), twin(), twin()),
        case("hotel", faithful(), twin(), twin()),
    ]

    row = only(code_figures(outcomes, NONE))

    assert (row.code, row.right, row.wrong) == ("numbers.moved", share(3, 10), share(1, 5))
    assert row.precision == pytest.approx(0.3 / (0.3 + 0.2))


def test_a_code_that_the_policy_notes_is_counted_as_if_it_acted() -> None:
    outcomes: list[Outcome] = [case("hotel", faithful(), twin(found=codes("overlap.unsupported")))]

    row = only(code_figures(outcomes, codes("overlap.unsupported")))

    assert (row.right, row.precision, row.acts) == (share(1, 1), 1.0, False)


def test_codes_about_questions_are_held_against_questions_of_their_own_kind() -> None:
    outcomes: list[Outcome] = [
        *CASES,
        asked("complaint", acted=True, found=codes("complaint.venting")),
        asked("mixed", acted=True, found=codes("complaint.venting")),
        asked("question", acted=False),
        asked("near_miss", acted=True, found=codes("answerability.off_topic")),
        asked("answerable", acted=False),
    ]

    rows = {row.code: row for row in code_figures(outcomes, NONE)}

    assert (rows["complaint.venting"].right, rows["complaint.venting"].wrong) == (
        share(1, 1),
        share(1, 2),
    )
    assert (rows["answerability.off_topic"].right, rows["answerability.off_topic"].wrong) == (
        share(1, 1),
        share(0, 1),
    )


def test_the_least_precise_code_comes_first() -> None:
    outcomes: list[Outcome] = [
        case("hotel", faithful(found=codes("a.wrong", "a.half")), twin(found=codes("a.half"))),
        case("hotel", faithful(), twin(found=codes("a.right"))),
    ]

    assert [row.code for row in code_figures(outcomes, NONE)] == ["a.wrong", "a.half", "a.right"]


@pytest.mark.parametrize(
    ("right", "wrong", "may"),
    [
        pytest.param(share(9, 10), share(0, 10), True, id="never-wrong"),
        pytest.param(share(0, 10), share(1, 10), True, id="one-false-alarm-decides-nothing"),
        pytest.param(share(9, 10), share(3, 10), False, id="too-often-wrong"),
        pytest.param(share(90, 100), share(10, 100), True, id="at-the-floor"),
    ],
)
def test_a_code_may_act_from_a_precision_on(right: Share, wrong: Share, *, may: bool) -> None:
    row = CodeFigures(code="a.b", right=right, wrong=wrong, acts=True)

    assert row.may_act(0.9) is may
