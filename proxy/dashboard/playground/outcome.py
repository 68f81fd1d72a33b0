"""What a try showed, as the page shows it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from policies.schema.guard_rule import Action
from policies.verdict import NOT_WANTED
from policies.verification.parts import ClaimReport, FindingReport
from policies.verification.shape import Verification
from proxy.dashboard.playground.form import Way
from proxy.dashboard.playground.log import Entry, log_of
from proxy.dashboard.playground.stands import ACCURATE, NO_CLAIM, UNCHECKED, Stand, stand_of
from proxy.dashboard.playground.trying import Tried
from proxy.dashboard.traces.highlighting import Stretch, changed
from proxy.dashboard.traces.reasons import reason_word
from proxy.dashboard.traces.story import outcome_of, story_of
from proxy.traces.changes import changes
from proxy.traces.trace import Trace

# A check that nobody wanted is not one that is missing.
_AS_WANTED = NOT_WANTED | {"off", "question_only", "not_configured"}


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """One sentence of the original answer.

    Attributes:
        claim: What the report says about it.
        stand: How it stands.
        findings: What was found in it.
        why_unchecked: Why nobody looked, to be translated; empty if somebody did.
        rests_on: Number of the source that holds most of it; None if none does.
    """

    claim: ClaimReport
    stand: Stand
    findings: Sequence[FindingReport]
    why_unchecked: str
    rests_on: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a try showed.

    Attributes:
        tried: What came of it.
    """

    tried: Tried

    @property
    def trace(self) -> Trace:
        """Its trace."""
        return self.tried.trace

    @property
    def report(self) -> Verification | None:
        """The report on the original answer."""
        return self.tried.verification

    @property
    def is_check(self) -> bool:
        """Whether an answer was pasted, and no model asked."""
        return self.tried.way is Way.CHECK

    @property
    def word(self) -> str:
        """What became of it in a word, to be translated."""
        return outcome_of(self.trace)

    @property
    def story(self) -> str:
        """What became of it in a sentence, to be translated."""
        return story_of(self.trace)

    @property
    def left(self) -> str | None:
        """What left, or the corrected answer; None if too little would be left of it."""
        if self.is_check and self.report is not None:
            return self.report.corrected_answer
        return self.trace.replies[0] if self.trace.replies else ""

    @property
    def original(self) -> str | None:
        """The answer as it was first; None if none is to be shown, or there was none."""
        return self.report.original_answer if self.report is not None else None

    @property
    def is_other_text(self) -> bool:
        """Whether what left was not made from the original answer."""
        return not self.is_check and self.trace.action is Action.REPLACE

    @property
    def stretches(self) -> list[Stretch]:
        """The original answer with what was changed in it; empty where nothing is compared."""
        if self.original is None or self.left is None or self.is_other_text:
            return []
        return changed(self.original, changes(self.original, self.left))

    @property
    def changed_places(self) -> int:
        """In how many places the two differ."""
        return sum(1 for one in self.stretches if one.gone or one.put_in)

    @property
    def tells_of_citations(self) -> bool:
        """Whether citations were taken out or renumbered in what left."""
        report = self.report
        if report is None or report.corrected_answer != self.left:
            return False
        return bool(report.removed_citations or report.renumbered)

    @property
    def claims(self) -> list[ShownClaim]:
        """The sentences of the original answer."""
        report = self.report
        if report is None:
            return []
        reasons = {one.claim: one.reason for one in report.not_checkable}
        places = {source.id: place for place, source in enumerate(report.sources, start=1)}
        return [
            ShownClaim(
                claim=claim,
                stand=stand_of(claim),
                findings=[report.findings[number] for number in claim.findings],
                why_unchecked=_why(reasons.get(claim.index)),
                rests_on=places.get(claim.citations[0].source_id) if claim.citations else None,
            )
            for claim in report.claims
        ]

    @property
    def counted(self) -> tuple[int, int]:
        """How many claims are accurate, and how many there are."""
        stands = [one.stand for one in self.claims if one.stand is not NO_CLAIM]
        return stands.count(ACCURATE), len(stands)

    @property
    def unchecked(self) -> list[tuple[str, str]]:
        """Guards that were wanted and did not run, each with why, to be translated."""
        if self.report is not None:
            skipped = self.report.checks.skipped.items()
            return [(name, reason_word(why)) for name, why in skipped if why not in _AS_WANTED]
        named = (one.partition(":") for one in self.trace.not_checked)
        return [(name, reason_word(why)) for name, _, why in named]

    @property
    def whole_unchecked(self) -> str:
        """Why the answer as a whole was not checked, to be translated; empty if it was."""
        reasons = self.report.not_checkable if self.report is not None else ()
        return next((_why(one.reason) for one in reasons if one.claim is None), "")

    @property
    def log(self) -> list[Entry]:
        """The steps and guard runs in order."""
        return log_of(self.trace)

    @property
    def json(self) -> str:
        """What an app would have got, and the report."""
        told = {} if self.is_check else {"reply": json.loads(self.tried.body)}
        if self.report is not None:
            told["verification"] = self.report.model_dump(mode="json")
        return json.dumps(told, ensure_ascii=False, indent=2)


def _why(reason: str | None) -> str:
    return UNCHECKED.get(reason, reason) if reason else ""
