"""What a run counted, as it is kept in a file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from policies.schema.policy import Action
from proxy.traces.tally import wilson
from tests.quality.cases import Role
from tests.quality.examining import (
    AnswerOutcome,
    DirectOutcome,
    Outcome,
    QuestionOutcome,
    Quoted,
    TwinOutcome,
)

FLOORS = {"default": 0.9, "strict": 0.7}
"""The least precision of a code that a shipped policy lets act, on the sets that nobody had read
before they were run."""
FEWEST_ALARMS = 3
"""One or two false alarms in some hundred answers say too little of a code's precision."""

KeyT = TypeVar("KeyT")


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Share(_Kept):
    """How many of how many."""

    count: int
    total: int

    @property
    def rate(self) -> float:
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval by Wilson: what the true share may well be."""
        return wilson(self.count, self.total)

    def __add__(self, other: "Share") -> "Share":
        return Share(count=self.count + other.count, total=self.total + other.total)


class FieldFigures(_Kept):
    faithful_acted_on: Share
    found: Share


class AnswerFigures(_Kept):
    """Figures of a set of answers by one policy.

    Attributes:
        faithful_acted_on: Of the faithful answers, those that did not leave as they came.
        found: Of the planted errors, those that a finding touches which acted.
        verified_faithful: Of the faithful answers, those that would be called verified.
        verified_wrong: Of the answers with an error, those that would be.
        offered: Of those that were not acted on, those whose error a judge would be asked about.
        claims_asked: About how many claims of the faithful answers a judge would be asked.
        by_kind: Errors found, by their kind.
        by_field: The first two by field.
    """

    faithful_acted_on: Share
    found: Share
    verified_faithful: Share
    verified_wrong: Share
    offered: Share
    claims_asked: int
    by_kind: dict[str, Share]
    by_field: dict[str, FieldFigures]

    @property
    def claims_per_answer(self) -> float:
        return self.claims_asked / max(1, self.faithful_acted_on.total)


class SetFigures(_Kept):
    """Figures of a set by one policy.

    Attributes:
        set: Name of the set.
        policy: Name of the policy.
        answers: Those of a set of answers.
        questions: Of any other set: of what is of each label, how much the guard acted on; or, of
            the questions with an answer in the sources, how many got a right quote and how many a
            wrong one, and of those without one how many got any.
    """

    set: str
    policy: str
    answers: AnswerFigures | None = None
    questions: dict[str, Share] = {}


class CodeFigures(_Kept):
    """How often a code is right, measured as if every code acted.

    Attributes:
        code: The code.
        right: Of the answers with an error, those in which it touches the error; of the complaints
            or near misses, those that it recognises.
        wrong: Of all that has to be left alone, that in which it is found.
        acts: The policy lets it act.
    """

    code: str
    right: Share
    wrong: Share
    acts: bool

    @property
    def precision(self) -> float:
        """How often it is right where half of all is wrong, with one error to each answer."""
        rates = self.right.rate + self.wrong.rate
        return self.right.rate / rates if rates else 0.0

    def may_act(self, floor: float) -> bool:
        """Tell whether it is right often enough."""
        return self.wrong.count < FEWEST_ALARMS or self.precision >= floor


class SetEntry(_Kept):
    """A set that was run, as the index has it."""

    name: str
    kind: str
    role: Role
    frozen: date
    first_run: date | None = None
    cases: int


class Results(_Kept):
    """All of a run."""

    machine: str
    date: date
    seconds: float
    sets: list[SetEntry]
    figures: list[SetFigures] = []
    codes: dict[str, list[CodeFigures]] = {}
    """By policy, counted over the sets of answers that were run before anybody had read them."""

    @property
    def policies(self) -> list[str]:
        return list(dict.fromkeys(one.policy for one in self.figures))

    def of(self, set_name: str, policy: str) -> SetFigures:
        """Return the figures of a set by a policy."""
        return next(one for one in self.figures if (one.set, one.policy) == (set_name, policy))


def set_figures(set_name: str, policy: str, outcomes: Sequence[Outcome]) -> SetFigures:
    """Return the figures of a set by a policy."""
    answers = [one for one in outcomes if isinstance(one, AnswerOutcome)]
    if answers:
        return SetFigures(set=set_name, policy=policy, answers=_answer_figures(answers))
    asked = [one for one in outcomes if isinstance(one, QuestionOutcome)]
    quoted = [one for one in outcomes if isinstance(one, DirectOutcome)]
    return SetFigures(
        set=set_name,
        policy=policy,
        questions=_shares(
            [*((one.label, one.acted) for one in asked), *_labelled(quoted)],
        ),
    )


def _labelled(outcomes: Iterable[DirectOutcome]) -> Iterator[tuple[str, bool]]:
    """Yield what each quote counts for: a right and a wrong one apart where there is an answer."""
    for one in outcomes:
        if one.answerable:
            yield "quoted_right", one.quoted is Quoted.RIGHT
            yield "quoted_wrong", one.quoted is Quoted.WRONG
        else:
            yield "quoted_without_answer", one.quoted is not Quoted.NOTHING


def code_figures(outcomes: Iterable[Outcome], noted: frozenset[str]) -> list[CodeFigures]:
    """Return how often each code is right, the least precise first.

    Args:
        outcomes: What became of the cases of all sets by one policy.
        noted: Codes that the policy only notes.
    """
    found = list(outcomes)
    answers = [one for one in found if isinstance(one, AnswerOutcome)]
    asked = [one for one in found if isinstance(one, QuestionOutcome)]
    complaints = [one for one in asked if one.label in {"complaint", "question", "mixed"}]
    sides = [
        (
            [twin.codes for case in answers for twin in case.twins],
            [case.faithful.codes for case in answers],
        ),
        _sides(complaints, "complaint"),
        _sides([one for one in asked if one not in complaints], "near_miss"),
    ]
    rows = [row for right, wrong in sides for row in _code_rows(right, wrong, noted)]
    return sorted(rows, key=lambda row: (row.precision, -row.wrong.count, row.code))


def _sides(
    outcomes: Sequence[QuestionOutcome], sought: str
) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the codes found in what has to be recognised, and in all else."""
    return (
        [one.codes for one in outcomes if one.label == sought],
        [one.codes for one in outcomes if one.label != sought],
    )


def _code_rows(
    right: Sequence[frozenset[str]], wrong: Sequence[frozenset[str]], noted: frozenset[str]
) -> list[CodeFigures]:
    hits = Counter(code for codes in right for code in codes)
    alarms = Counter(code for codes in wrong for code in codes)
    return [
        CodeFigures(
            code=code,
            right=Share(count=hits[code], total=len(right)),
            wrong=Share(count=alarms[code], total=len(wrong)),
            acts=code not in noted,
        )
        for code in hits.keys() | alarms.keys()
    ]


def _answer_figures(cases: Sequence[AnswerOutcome]) -> AnswerFigures:
    twins = [twin for case in cases for twin in case.twins]
    acted = _shares((case.field, _was_acted_on(case)) for case in cases)
    found = _shares((case.field, _was_found(twin)) for case in cases for twin in case.twins)
    return AnswerFigures(
        faithful_acted_on=_share(_was_acted_on(case) for case in cases),
        found=_share(map(_was_found, twins)),
        verified_faithful=_share(case.faithful.verified for case in cases),
        verified_wrong=_share(twin.verified for twin in twins),
        offered=_share(twin.offered for twin in twins if twin.action is Action.PASS),
        claims_asked=sum(case.faithful.claims_asked for case in cases),
        by_kind=_shares((twin.kind, _was_found(twin)) for twin in twins),
        by_field={
            field: FieldFigures(
                faithful_acted_on=share, found=found.get(field, Share(count=0, total=0))
            )
            for field, share in acted.items()
        },
    )


def _was_acted_on(case: AnswerOutcome) -> bool:
    return case.faithful.action is not Action.PASS


def _was_found(twin: TwinOutcome) -> bool:
    return bool(twin.at_place)


def _share(told: Iterable[bool]) -> Share:
    found = list(told)
    return Share(count=sum(found), total=len(found))


def _shares(told: Iterable[tuple[KeyT, bool]]) -> dict[KeyT, Share]:
    """Return the share of each key, in the order in which keys come."""
    shares: dict[KeyT, Share] = {}
    for key, one in told:
        shares[key] = shares.get(key, Share(count=0, total=0)) + _share([one])
    return shares
