"""Runs a policy's guards, gives the verdict, and applies the corrections.

A verdict changes an answer by fixes in place, and by removed sentences.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from guards.core.exchange import Exchange
from guards.core.finding import Finding, Severity, Span
from guards.core.guard import Guard, GuardReport, Outcome, Scope, Stage, read_ahead, run
from guards.core.keeping import lazy
from guards.core.reading import Part, Reading, RequestReading, read
from guards.core.registry import all_guards
from guards.text.citing.references import read_references
from policies.coverage import Coverage
from policies.decision import JudgeReport, Possible, decide
from policies.direct_answer import direct_answer
from policies.edits import (
    Edit,
    about_the_rest,
    apply,
    edits_of_the_rest,
    fixes,
    too_late_to_mend,
    without_overlaps,
)
from policies.judging.judge import JUDGE
from policies.mending import MendedCitations, RemovalEdits, mend
from policies.schema.base import Mode
from policies.schema.policy import Action, Policy
from policies.schema.sections import ReferenceList, Renumber
from policies.templates import direct_reply
from policies.trimming import renumbered, trim
from policies.verdict import GuardOutcome, GuardResult, Verdict, citation_guards

LIST_ADDED = "references_added"
"""Reason of an answer in which nothing was wrong and that got the list of its sources."""


def repaired(policy: Policy, exchange: Exchange, verdict: Verdict) -> MendedCitations | None:
    """Return the answer with everything corrected or taken out that led to the verdict.

    What is corrected in place need not be taken out, so only the other findings cost a sentence,
    and citations without which their sentence has no meaning; a FIX verdict takes none out.

    Returns:
        None if too little would be left, or if a sentence does not survive its citation.
    """
    findings = verdict.acting
    mendable = [found for found in findings if _is_mendable(policy, found)]
    edits = fixes(mendable)
    if verdict.action is Action.FIX:
        return _mended_only(policy, exchange, edits)
    bad = [
        found.span
        for found in findings
        if found.part == "answer" and not _is_mendable(policy, found)
    ]
    return _trimmed(policy, exchange, edits, bad)


def workable(policy: Policy, exchange: Exchange, verdict: Verdict) -> Verdict:
    """Return a verdict that can be put into effect: FIX as TRIM where a sentence has to go.

    That is so where a citation is all that a sentence speaks of. It is not put into effect while a
    second attempt is left, which may write the sentence anew.
    """
    if verdict.action is Action.FIX and repaired(policy, exchange, verdict) is None:
        return replace(verdict, action=Action.TRIM)
    return verdict


def citations_repaired(
    policy: Policy, exchange: Exchange, verdict: Verdict
) -> MendedCitations | None:
    """Return the answer with its wrong citations mended and all else as it is.

    Whatever the verdict asks for. A sentence that has no meaning without its citation goes; None
    if too little would be left.
    """
    wrong = [
        found
        for found in verdict.findings
        if found.guard in citation_guards()
        and found.severity is Severity.STRONG
        and _is_mendable(policy, found)
    ]
    return _trimmed(policy, exchange, fixes(wrong), [])


def with_list_of_sources(policy: Policy, exchange: Exchange, verdict: Verdict) -> Verdict:
    """Return the verdict over a good answer, with the list of its sources if the policy wants one.

    An answer that gets a list is no longer the model server's own, so it counts as corrected.
    """
    if policy.citations.references is not ReferenceList.ALWAYS:
        return verdict
    mended = _mended_only(policy, exchange, ())
    if mended is None or not mended.edits:
        return verdict
    return replace(verdict, action=Action.FIX, reasons=(LIST_ADDED,), edits=mended.edits)


def _trimmed(
    policy: Policy, exchange: Exchange, edits: Sequence[Edit], bad: Sequence[Span]
) -> MendedCitations | None:
    """Return the answer with its edits made, and without the sentences that cannot stay."""
    made = _without(policy, exchange, edits, bad)
    if isinstance(made, RemovalEdits):
        made = _without(policy, exchange, edits, [*bad, *made.places])
    return made if isinstance(made, MendedCitations) else None


def _without(
    policy: Policy, exchange: Exchange, edits: Sequence[Edit], bad: Sequence[Span]
) -> MendedCitations | RemovalEdits | None:
    """Return the answer without the sentences of some places; None if too little would be left."""
    removals = trim(exchange.question, exchange.answer or "", bad, policy.trimming) if bad else ()
    if removals is None:
        return None
    return _mended(policy, exchange, [*removals, *edits])


def _mended_only(
    policy: Policy, exchange: Exchange, edits: Sequence[Edit]
) -> MendedCitations | None:
    made = _mended(policy, exchange, edits)
    return made if isinstance(made, MendedCitations) else None


def _mended(
    policy: Policy, exchange: Exchange, edits: Sequence[Edit]
) -> MendedCitations | RemovalEdits:
    answer = exchange.answer or ""
    references = read_references(answer)
    # What counts the lines of that list are the numbers of citations.
    body = answer[: references.start] if references else answer
    made = without_overlaps([*edits, *renumbered(body, edits)])
    return mend(answer, made, exchange.sources, policy.citations)


def _is_mendable(policy: Policy, finding: Finding) -> bool:
    return finding.fix is not None and policy.guards[finding.guard].fix


class Run:
    """The guards' reports on one reading, each guard run once: several looks may be at the same."""

    def __init__(self, reading: Reading) -> None:
        del reading
        self._reports: dict[Guard[Any], GuardReport] = {}

    def reports(self, reading: Reading, guards: Sequence[Guard[Any]]) -> tuple[GuardReport, ...]:
        """Return the guards' reports, in their order."""
        new = [guard for guard in guards if guard not in self._reports]
        self._reports.update(zip(new, run(new, reading), strict=True))
        return tuple(self._reports[guard] for guard in guards)


class Latest:
    """Reading of the latest answer to a request.

    Not its reading, which holds the request: what holds itself is only freed by the collector of
    garbage.
    """

    def __init__(self, request: RequestReading) -> None:
        del request
        self._taken: tuple[tuple[str | None, int], Part | None, dict[object, object]] | None = None

    def again(self, reading: Reading) -> Reading | None:
        """Return a reading with what was read, if it is of the same answer; else None."""
        if self._taken is None:
            return None
        looked_at, answer, kept = self._taken
        return replace(reading, answer=answer, kept=kept) if looked_at == _of(reading) else None

    def take(self, reading: Reading) -> None:
        """Keep what is read of an answer."""
        self._taken = (_of(reading), reading.answer, reading.kept)


def _of(reading: Reading) -> tuple[str | None, int]:
    """Return what tells a look at a request from others."""
    return reading.exchange.answer, reading.judged_from


def reading_of(exchange: Exchange, judged_from: int = 0) -> Reading:
    """Read an exchange, or return its reading if the look before was at the same answer."""
    reading = read(exchange, judged_from)
    latest = reading.request.once(Latest)
    if known := latest.again(reading):
        return known
    latest.take(reading)
    return reading


NOTHING = Possible()


class Inspector:
    """Judges exchanges by one policy. Safe to share between requests and threads.

    Args:
        guards: Its guards, built; None to build those that it has switched on.

    Attributes:
        waits: Its methods wait for somebody else, whatever the length of a text.
    """

    waits: ClassVar[bool] = False

    def __init__(self, policy: Policy, guards: Sequence[Guard[Any]] | None = None) -> None:
        self.policy = policy
        built = guards
        if built is None:
            on = (name for name, rule in policy.guards.items() if rule.mode is not Mode.OFF)
            built = [_build(policy, name) for name in on]
        self._built = tuple(built)
        self._guards = {
            stage: tuple(guard for guard in built if guard.runs_at(stage)) for stage in Stage
        }
        self._weak = frozenset(code for rule in policy.guards.values() for code in rule.weak)

    def only(self, wanted: Collection[str]) -> "Inspector":
        """Return an inspector by the same policy that runs only some of its guards."""
        return Inspector(self.policy, [guard for guard in self._built if guard.id in wanted])

    def inspect(self, exchange: Exchange, stage: Stage, possible: Possible = NOTHING) -> Verdict:
        """Read the exchange, run the guards of a stage over it, and decide."""
        reading = self._read(exchange, possible.edit_from)
        reports = self._reports(reading, stage, possible.edit_from)
        return self._decided(reading, stage, reports, possible)

    def knows_sources(self, exchange: Exchange) -> bool:
        """Tell whether the sources were read for another request: then little is to be read ahead.

        It may have been for another policy, which is no harm.
        """
        return not read(exchange).source_set.is_unread

    def read_ahead(self, exchange: Exchange) -> Iterator[None]:
        """Read what looking at any answer takes, before there is one; pause after each piece."""
        return read_ahead(self._guards[Stage.OUTPUT], read(exchange).request)

    def settled(self, exchange: Exchange, verdict: Verdict, *, may_edit: bool) -> Verdict:
        """Return the verdict over the same answer now that no second attempt is left."""
        if verdict.action is not Action.REGENERATE:
            return verdict
        possible = Possible(edit=may_edit)
        return self._decided(reading_of(exchange), verdict.stage, verdict.reports, possible)

    def with_judge_report(
        self, exchange: Exchange, verdict: Verdict, report: JudgeReport, possible: Possible
    ) -> Verdict:
        """Return the verdict over the same answer with the report of a judge."""
        reports = (*report.without_cleared(verdict.reports), report)
        return self._decided(reading_of(exchange), verdict.stage, reports, possible)

    @lazy
    def of_segments(self) -> "SegmentInspector":
        """The inspector of answers that are not complete yet."""
        needed = [guard for guard in self._built if guard.scope is Scope.SEGMENT]
        return SegmentInspector(self.policy, needed)

    def direct_answer(self, exchange: Exchange) -> str | None:
        """Return the sources' own answer, if the policy wants it, there is one and it passes."""
        if not self.policy.replacement.direct_answer:
            return None
        found = direct_answer(exchange.question, exchange.sources, self.policy.tone)
        if found is None:
            return None
        text = direct_reply(self.policy, found.quotes)
        reports = self._reports(read(exchange.answered(text)), Stage.OUTPUT, 0)
        passes = decide(self.policy, Stage.OUTPUT, reports, NOTHING).action is Action.PASS
        return text if passes else None

    def _reports(self, reading: Reading, stage: Stage, left_chars: int) -> tuple[GuardReport, ...]:
        """Run the guards of a stage over an answer of which the beginning may have been sent."""
        reports = reading.once(Run).reports(reading, self._guards[stage])
        return self._as_far_as_possible([*map(self._with_weak_codes, reports)], left_chars)

    def _with_weak_codes(self, report: GuardReport) -> GuardReport:
        """Return a report with the findings weak that the policy does not let act."""
        if self._weak.isdisjoint(found.code for found in report.findings):
            return report
        weighed = (
            replace(found, severity=Severity.WEAK) if found.code in self._weak else found
            for found in report.findings
        )
        return replace(report, findings=tuple(weighed))

    def _read(self, exchange: Exchange, left_chars: int) -> Reading:
        del left_chars
        return reading_of(exchange)

    def _as_far_as_possible(
        self, reports: Sequence[GuardReport], left_chars: int
    ) -> tuple[GuardReport, ...]:
        return too_late_to_mend(reports, left_chars)

    def _passed(self, exchange: Exchange, verdict: Verdict, possible: Possible) -> Verdict:
        """Return the verdict over a good answer."""
        if not possible.edit:
            return verdict
        listed = with_list_of_sources(self._repairing(possible), exchange, verdict)
        edits = edits_of_the_rest(listed.edits, exchange.answer or "", possible.edit_from)
        return verdict if edits is None else replace(listed, edits=edits)

    def _repairing(self, possible: Possible) -> Policy:
        """Return the policy that mends: numbers stay once a citation has been sent."""
        if not (possible.edit_from or possible.taken):
            return self.policy
        stays: dict[str, object] = {"renumber": Renumber.NEVER} if possible.edit_from else {}
        return self._with_less(possible, stays)

    def _with_less(self, possible: Possible, citations: Mapping[str, object]) -> Policy:
        """Return the policy with other rules for citations, and less of it left to be taken out."""
        policy = self.policy
        left = max(0, policy.trimming.most_claims - possible.taken)
        return policy.model_copy(
            update={
                "citations": policy.citations.model_copy(update=citations),
                "trimming": policy.trimming.model_copy(update={"most_claims": left}),
            }
        )

    def _decided(
        self,
        reading: Reading,
        stage: Stage,
        reports: Sequence[GuardReport],
        possible: Possible,
    ) -> Verdict:
        """Decide; an answer that was edited is judged again, and must pass as it then stands."""
        exchange = reading.exchange
        verdict = self._verdict(reading, stage, reports, possible)
        if exchange.answer is None:
            return verdict
        if verdict.action is Action.PASS:
            return self._passed(exchange, verdict, possible)
        if verdict.action not in (Action.FIX, Action.TRIM):
            return verdict
        if edited := self._edited(exchange, verdict, possible):
            return edited
        if _wants_trim_for_judge(verdict):
            # What the guards mend or take out must not be lost over a sentence that has to stay.
            return self._decided(reading, stage, _without_judges_trim(reports), possible)
        return self._verdict(reading, stage, reports, replace(possible, edit=False))

    def _edited(self, exchange: Exchange, verdict: Verdict, possible: Possible) -> Verdict | None:
        """Put a verdict of FIX or TRIM into effect; None if that cannot be done."""
        policy, left_chars = self._repairing(possible), possible.edit_from
        answer = exchange.answer or ""
        if not possible.regenerate:
            verdict = workable(policy, exchange, verdict)
        mended = repaired(policy, exchange, verdict)
        if mended is None or not mended.edits:
            return None
        edits = edits_of_the_rest(mended.edits, answer, left_chars)
        judged = edits_of_the_rest(mended.judged, answer, left_chars)
        if edits is None or judged is None:
            return None
        edited = exchange.answered(apply(answer, judged))
        judge_reports = [
            report.after(answer, edited.answer or "")
            for report in verdict.reports
            if isinstance(report, JudgeReport)
        ]
        reading = self._read(edited, left_chars)
        reports = self._reports(reading, verdict.stage, left_chars)
        for report in judge_reports:
            reports = (*report.without_cleared(reports), report)
        again = self._verdict(reading, verdict.stage, reports, Possible(edit_from=left_chars))
        if again.action is not Action.PASS:
            return None
        results = tuple(_as_edited(one, again.results) for one in verdict.results)
        return replace(verdict, edits=edits, results=results, confidence=again.confidence)

    def _verdict(
        self,
        reading: Reading,
        stage: Stage,
        reports: Sequence[GuardReport],
        possible: Possible,
    ) -> Verdict:
        """Decide; there is no confidence in an answer of which nothing met a source."""
        verdict = decide(self.policy, stage, reports, possible)
        if verdict.confidence is None:
            return verdict
        coverage = Coverage(self.policy, reading, verdict.ran)
        met = coverage.met_a_source(verdict.findings)
        return verdict if met else replace(verdict, confidence=None)


class SegmentInspector(Inspector):
    """Judges the last segment of an answer that is not complete yet.

    Only guards that need no more than a segment run, and what was said before it is not judged
    again: that is for the end.
    """

    def _read(self, exchange: Exchange, left_chars: int) -> Reading:
        return reading_of(exchange, left_chars)

    def _as_far_as_possible(
        self, reports: Sequence[GuardReport], left_chars: int
    ) -> tuple[GuardReport, ...]:
        return about_the_rest(reports, left_chars)

    def _passed(self, exchange: Exchange, verdict: Verdict, possible: Possible) -> Verdict:
        return verdict

    def _repairing(self, possible: Possible) -> Policy:
        """Return the policy that mends: the list of sources comes at the answer's end."""
        update: dict[str, object] = {"renumber": Renumber.NEVER}
        if self.policy.citations.references is ReferenceList.ALWAYS:
            update["references"] = ReferenceList.OWN
        return self._with_less(possible, update)

    def _verdict(
        self,
        reading: Reading,
        stage: Stage,
        reports: Sequence[GuardReport],
        possible: Possible,
    ) -> Verdict:
        """Decide; where nothing was found and nothing broke, there is nothing to weigh."""
        if any(one.outcome is Outcome.FOUND or one.failed for one in reports):
            return decide(self.policy, stage, reports, possible)
        return Verdict(stage, Action.PASS, reports=tuple(reports))


def _wants_trim_for_judge(verdict: Verdict) -> bool:
    return any(one.guard == JUDGE and one.action is Action.TRIM for one in verdict.results)


def _without_judges_trim(reports: Sequence[GuardReport]) -> list[GuardReport]:
    return [
        replace(one, wants_trim=False) if isinstance(one, JudgeReport) else one for one in reports
    ]


def _as_edited(result: GuardResult, again: Sequence[GuardResult]) -> GuardResult:
    """Return why no judge was asked as it is for the edited answer; every other result as it is."""
    if result.guard != JUDGE or result.outcome is not GuardOutcome.NOT_RUN:
        return result
    return next(one for one in again if one.guard == JUDGE)


def _build(policy: Policy, guard_id: str) -> Guard[Any]:
    guard_type = all_guards()[guard_id]
    options = policy.guards[guard_id].options
    return guard_type(guard_type.settings_type.model_validate(options))
