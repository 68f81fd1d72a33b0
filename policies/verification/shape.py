"""The input of a verification (sources, options) and the schema of its report."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StrictInt, ValidationError
from pydantic_core import ErrorDetails

from guards.core.exchange import ContextState, Source
from guards.core.finding import Severity, Strength
from guards.text.citing.assessment import Status
from policies.edits import Place
from policies.schema.policy import Action
from policies.verdict import Band, Cap

_SAID: Mapping[str, str] = {
    "missing": "it is required",
    "extra_forbidden": "there is no such member",
    "string_type": "it must be a string",
    "bool_type": "it must be true or false",
    "int_type": "it must be an integer",
    "float_type": "it must be a number",
    "finite_number": "it must be a finite number",
    "none_required": "it must be null",
    "greater_than_equal": "it must be at least {ge}",
    "less_than_equal": "it must be at most {le}",
    "too_short": "it must have at least {min_length} item",
    "literal_error": "it must be {expected}",
    "string_too_short": "it must have at least {min_length} character",
    "string_too_long": "it must have at most {max_length} characters",
    "string_pattern_mismatch": "it must match {pattern}",
    "value_error": "{error}",
    **dict.fromkeys(("list_type", "tuple_type"), "it must be an array"),
    **dict.fromkeys(
        ("dict_type", "model_type", "model_attributes_type", "dataclass_type"),
        "it must be an object",
    ),
}


def problem(error: ErrorDetails) -> str:
    """Return what is wrong, as the rest of a sentence."""
    said = _SAID.get(error["type"], "it cannot be used")
    return said.format(**error.get("ctx", {}))


ALL_GUARDS = "*"

Correction = Literal["none", "citations", "trim"]
JudgeUse = Literal["auto", "off", "force"]


class Options(BaseModel):
    """Options of a verification. None of them makes a check weaker than the policy has it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    guards: tuple[str, ...] = Field(
        (ALL_GUARDS,),
        strict=False,
        description="Ids of the guards to run, among those that the policy has switched on; `*` "
        "for all. A claim that only other guards could have checked is not verified.",
    )
    judge: JudgeUse = Field(
        "auto",
        description="Whether a judge is asked about doubtful claims. auto: if one is configured. "
        "off: never. force: an answer that no judge has looked at is not verified.",
    )
    correction: Correction = Field(
        "citations",
        description="What is corrected in `corrected_answer`. citations: wrong citations. trim: "
        "everything that the policy would correct or take out. none: nothing.",
    )


class GivenSource(BaseModel):
    """A source as callers give it; members that are not named here are passed over."""

    model_config = ConfigDict(frozen=True, strict=True)

    section_content: str = Field(
        validation_alias=AliasChoices("section_content", "text", "content"),
        description="The passage. Also called `text` or `content`.",
    )
    section_title: str | None = Field(
        None,
        validation_alias=AliasChoices("section_title", "title"),
        description="Its heading, such as `제5조 환불규정`. Also called `title`.",
    )
    file: str | None = Field(
        None,
        validation_alias=AliasChoices("file", "uri", "url"),
        description="File name or address. Also called `uri` or `url`.",
    )
    page: StrictInt | None = Field(None, description="Page number.")
    score: float | None = Field(None, ge=0, le=1, description="Retrieval score.")
    id: str | StrictInt | None = Field(
        None,
        description="The number by which citations refer to it; by default its position in the "
        "list, from 1. An id that is not a number appears only in the report; "
        "citations then use the position.",
    )

    def source(self, place: int) -> Source:
        """Return the source that stands at a place of the list, counted from 1."""
        return Source(
            id=str(place if self.id is None else self.id).strip(),
            title=(self.section_title or "").strip(),
            text=self.section_content.strip(),
            file=(self.file or "").strip(),
            page=self.page,
            score=self.score,
        )


class BadSources(ValueError):
    """Sources that cannot be used.

    Attributes:
        place: Number of the source, from 0.
        member: The member that is wrong; empty for the source as a whole.
    """

    def __init__(self, place: int, member: str, problem: str) -> None:
        super().__init__(f"sources[{place}]{'.' if member else ''}{member}: {problem}")
        self.place = place
        self.member = member
        self.problem = problem


def sources_of(given: Iterable[Source | Mapping[str, object]]) -> tuple[Source, ...]:
    """Return the sources that a caller of the library gave.

    Raises:
        BadSources: one has a wrong type or value, or two have the same id.
        TypeError: they are no collection of sources.
    """
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        raise TypeError(f"sources must be a list of sources, not {type(given).__name__}")
    return usable_sources([_source(place, item) for place, item in enumerate(given)])


def usable_sources(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Return the sources that say anything; the others keep their places in the count.

    Raises:
        BadSources: two have the same id, so that neither could be cited.
    """
    seen: set[str] = set()
    usable = []
    for place, source in enumerate(sources):
        if source.id in seen:
            raise BadSources(place, "id", f"{source.id!r} names two sources")
        seen.add(source.id)
        if any(char.isalnum() for char in source.text):
            usable.append(source)
    return tuple(usable)


def _source(place: int, given: Source | Mapping[str, object]) -> Source:
    if isinstance(given, Source):
        return given
    try:
        return GivenSource.model_validate(given).source(place + 1)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise BadSources(place, ".".join(map(str, first["loc"])), problem(first)) from None


class ReportPart(BaseModel):
    """Base of a report and its parts."""

    model_config = ConfigDict(frozen=True)


class Label(StrEnum):
    """Result of comparing one sentence with the sources."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    NOT_CHECKABLE = "not_checkable"


class Method(StrEnum):
    """Method by which a passage was found to support a claim."""

    EXACT = "exact"
    """The claim stands in it word for word."""
    ALIGNED = "aligned"
    """It holds the claim's words and figures."""


class ClaimCitation(ReportPart):
    """The passage of a source that a claim rests on, whether or not the answer cites it."""

    source_id: str = Field(description="Id of the source.")
    span: Place | None = Field(
        description="Where the quote is in the source's text; null for its title."
    )
    quote: str = Field(description="The passage, word for word.")
    method: Method = Field(description="exact: word for word. aligned: its words and figures.")
    score: float = Field(description="Share of the claim that the source contains.", ge=0, le=1)


class ClaimReport(ReportPart):
    """One sentence of the answer."""

    index: int = Field(description="Its number, from 0.", ge=0)
    text: str = Field(description="The sentence as it stands, with its citations.")
    span: Place = Field(description="Where it is in the answer.")
    check_required: bool = Field(
        description="False for sentences that cannot be true or false: greetings, lead-ins, advice."
    )
    label: Label = Field(
        description="supported, partial, unsupported or contradicted by the sources; "
        "not_checkable if it could not be checked, which does not mean that it is "
        "right."
    )
    strength: Strength | None = Field(
        description="E3 word for word, E2 its words and figures agree, E1 in part, E0 nothing "
        "found, C1 perhaps contradicted, C2 contradicted; null where it could not be checked."
    )
    score: float | None = Field(
        description="Share of the claim that the best source contains; null if it was not checked.",
        ge=0,
        le=1,
    )
    checked_by: tuple[str, ...] = Field(description="Guards that compared it with the sources.")
    citations: tuple[ClaimCitation, ...] = Field(
        description="The passages that support it, the best first."
    )
    findings: tuple[int, ...] = Field(description="Ids of the findings about it.")


class EvidenceReport(ReportPart):
    """A quote from a source as evidence for a finding."""

    source_id: str = Field(description="Id of the source.")
    quote: str = Field(description="The quote.")
    span: Place | None = Field(
        description="Where it is in the source's text; null if it is not there word for word."
    )


class FindingReport(ReportPart):
    """One thing that a guard found."""

    id: int = Field(description="Its number in this report, from 0.", ge=0)
    guard: str = Field(description="Id of the guard.")
    code: str = Field(description="`guard.what`.")
    severity: Severity = Field(description="Strong findings act, weak ones lower the confidence.")
    strength: Strength = Field(description="As in the claims.")
    claim: int | None = Field(description="Index of the claim it is about; null if of none.")
    part: str = Field(description="The text that the span is in: question, answer or source:<id>.")
    span: Place = Field(description="The place in that text.")
    observed: str = Field(description="The text at that place.")
    expected: tuple[str, ...] = Field(description="What the sources say instead, if anything.")
    evidence: tuple[EvidenceReport, ...] = Field(description="Quotes from the sources as evidence.")
    score: float = Field(description="How certain the guard is, from 0 to 1.", ge=0, le=1)
    fix: str | None = Field(
        description="The text to put there instead; empty to take it out; null if unknown."
    )
    message: str = Field(description="The finding as a Korean sentence.")


class CitationCount(ReportPart):
    """The citations of the answer as a whole."""

    declared: tuple[str, ...] = Field(description="Numbers and names that it cites, each once.")
    phantom: tuple[str, ...] = Field(description="Those that no source has.")
    misattributed: tuple[str, ...] = Field(
        description="Those whose source does not support a sentence that cites them."
    )
    uncited_claims: tuple[int, ...] = Field(description="Indexes of claims without a citation.")
    recall: float | None = Field(
        description="Share of the claims that their cited sources support together; null if "
        "nothing is cited.",
        ge=0,
        le=1,
    )
    precision: float | None = Field(
        description="Share of the citations whose source supports the claim; null if nothing is "
        "cited.",
        ge=0,
        le=1,
    )


class CitationCheck(ReportPart):
    """One statement compared with one source that it cites."""

    citation_number: int | None = Field(description="The number; null for a citation by name.")
    statement: str = Field(description="The statement, without its citations.")
    source_file: str = Field(description="File of the source, else its title; empty if unknown.")
    source_page: int | None = Field(description="Page of the source; null if unknown.")
    source_id: str | None = Field(description="Id of the source; null if there is none.")
    is_accurate: bool | None = Field(description="Null if that is not known.")
    confidence: float = Field(description="How certain that is, from 0 to 1.", ge=0, le=1)
    explanation: str = Field(description="Why, in Korean.")
    status: Status = Field(description="accurate, inaccurate or uncertain.")


class Renumbered(ReportPart):
    """A source that is cited by another number in the corrected answer."""

    before: int = Field(description="Its number in the answer.")
    after: int = Field(description="Its number in the corrected answer.")


class SourceReport(ReportPart):
    """A source that counted."""

    id: str = Field(description="The number or name by which citations refer to it.")
    title: str = Field(description="Its heading; empty if it has none.")
    text: str = Field(description="The passage; spans of quotes refer to it.")
    file: str = Field(description="File name or address; empty if unknown.")
    page: int | None = Field(description="Page number; null if unknown.")
    score: float | None = Field(description="Retrieval score; null if unknown.")


class Scores(ReportPart):
    """Measures over the whole answer, from 0 to 1; null where nothing was measured."""

    support: float | None = Field(
        description="Mean over the checked claims of the share of the claim that the best source "
        "contains."
    )
    contradiction: float | None = Field(
        description="Share of the checked claims that a source contradicts."
    )
    answerability: float | None = Field(
        description="1 if there is evidence for an answer, 0 if there is none; null if none was "
        "required."
    )
    citation: float | None = Field(
        description="Harmonic mean of the citations' recall and precision."
    )


class Thresholds(ReportPart):
    """The policy's thresholds; null where the guard that uses it is off."""

    retrieval: float | None = Field(description="Minimum retrieval score of evidence.")
    support: float | None = Field(
        description="Minimum share of a claim that a source must contain; below it a guard "
        "reports the claim."
    )
    unsupported: float | None = Field(
        description="A claim of which every source contains a smaller share is `unsupported`."
    )
    relevance: float = Field(description="Minimum relevance of a marked source.")
    citation: float | None = Field(
        description="Minimum confidence of the judgement on a citation, and the share from which "
        "a claim is `supported`."
    )
    confidence: float = Field(description="Minimum confidence of a verified answer.")


class Checks(ReportPart):
    """Which checks ran, and why the others did not."""

    run: tuple[str, ...] = Field(description="Guards in force that ran.")
    shadow: tuple[str, ...] = Field(
        description="Guards that ran in shadow mode: traced, without effect here."
    )
    skipped: Mapping[str, str] = Field(
        description="Check -> why it did not run: `off` in the policy, `not_asked`, "
        "`question_only`, `not_configured`, or what is missing, such as `no_sources`."
    )


class NotCheckable(ReportPart):
    """Something that nobody could check."""

    claim: int | None = Field(description="Index of the claim; null for the whole answer.")
    reason: str = Field(
        description="no_sources, no_answer, no_claims; for a claim also too_short, or "
        "not_looked_at where the guards that could have compared it did not run."
    )


class VerificationOutcome(StrEnum):
    """The result of a verification in a word."""

    VERIFIED = "verified"
    PARTLY = "partly_verified"
    """The policy would let the answer pass, and only some of its claims rest on a source."""
    NOT_VERIFIED = "not_verified"


class Verification(ReportPart):
    """An answer compared with its sources. Unchecked answers are never called verified.

    As a truth value it is `verified`: ``if quick_verify(answer, sources): …``.
    """

    id: str = Field(description="Id of this verification; over HTTP that of its trace.")
    policy: str = Field(description="Name and version of the policy that judged.")
    question: str = Field(description="The question, as it was understood; may be empty.")
    context: ContextState = Field(
        description="found: there are sources. empty: there was a place for sources and nothing "
        "usable in it. absent: no sources were given."
    )
    verdict: Action = Field(
        description="What the policy would do with this answer in a chat completion."
    )
    verified: bool = Field(
        description="True if the verdict is `pass`, at least one claim was compared with a source "
        "and no comparable one was left out, every required check ran, and the "
        "confidence reaches its threshold."
    )
    confidence: float | None = Field(
        description="From 0 to 1; null if nothing could be checked.", ge=0, le=1
    )
    confidence_band: Band | None = Field(description="The confidence in one word.")
    confidence_caps: tuple[Cap, ...] = Field(description="Caps that limit the confidence.")
    issues: tuple[str, ...] = Field(description="The problems, each as a line in Korean.")
    reasoning: str = Field(
        description="The judgement in one Korean line: parts that begin with ✓, ✗ or ?, joined by "
        "` | `. A ? marks what could not be checked."
    )
    citations_valid: bool | None = Field(
        description="Whether every citation names a source that supports the sentence, as far as "
        "that is known: false if `verification_log` calls one inaccurate or one names "
        "no source; null if the answer cites nothing, was not checked, or the result "
        "is uncertain."
    )
    scores: Scores
    thresholds: Thresholds
    claims: tuple[ClaimReport, ...] = Field(description="Every sentence of the answer, in order.")
    findings: tuple[FindingReport, ...] = Field(
        description="Findings of the guards in force. Those of guards in shadow mode are left out."
    )
    citations: CitationCount
    original_answer: str = Field(description="The answer as it was given.")
    corrected_answer: str | None = Field(
        description="The answer after `options.correction`: the same text if there was nothing to "
        "correct, or with `none`; null if too little of the answer would be left."
    )
    removed_citations: tuple[int, ...] = Field(
        description="Numbers that the answer cites and the corrected answer no longer does."
    )
    renumbered: tuple[Renumbered, ...] = Field(
        description="Citation numbers that were changed without changing the source."
    )
    sources: tuple[SourceReport, ...] = Field(
        description="The sources that were used, in the order in which citations number them."
    )
    accuracy_rate: float | None = Field(
        description="Share of accurate citations among those that are accurate or inaccurate; "
        "null if there are none.",
        ge=0,
        le=1,
    )
    verification_log: tuple[CitationCheck, ...] = Field(
        description="One entry for every pair of a statement and a source that it cites."
    )
    checks: Checks
    not_checkable: tuple[NotCheckable, ...] = Field(
        description="What could not be checked, and why: the whole answer or single claims."
    )
    degraded: tuple[str, ...] = Field(
        description="Required checks that failed, as `name:reason`. An answer with one is never "
        "verified."
    )
    timings_ms: Mapping[str, float] = Field(
        description="Time of each guard that ran and of each further step, in milliseconds."
    )
    processing_time_ms: float = Field(description="Total time, in milliseconds.", ge=0)

    @property
    def outcome(self) -> VerificationOutcome:
        """The result in a word."""
        if self.verified:
            return VerificationOutcome.VERIFIED
        if self.verdict is Action.PASS and any(one.label is Label.SUPPORTED for one in self.claims):
            return VerificationOutcome.PARTLY
        return VerificationOutcome.NOT_VERIFIED

    def __bool__(self) -> bool:
        """Tell whether the answer is verified."""
        return self.verified
