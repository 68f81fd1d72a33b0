"""Verification: its input (given sources, options) and its report, for all who show it."""

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
        description="Ids of the guards to run, of those that the policy has switched on; `*` for "
        "all. A claim that only other guards could have checked is not verified then.",
    )
    judge: JudgeUse = Field(
        "auto",
        description="A model asked for its opinion on open claims. auto: where one is configured. "
        "off: never. force: an answer that none has judged is not verified.",
    )
    correction: Correction = Field(
        "citations",
        description="What is mended in `corrected_answer`. citations: wrong citations. trim: all "
        "that the policy would mend or take out. none: nothing.",
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
        description="The number by which citations call it; by default its place in the list, "
        "from 1. An id that is no number is only named in the report, and citations count the "
        "source's place.",
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
    score: float = Field(description="Share of the claim that the source holds.", ge=0, le=1)


class ClaimReport(ReportPart):
    """One sentence of the answer."""

    index: int = Field(description="Its number, from 0.", ge=0)
    text: str = Field(description="The sentence as it stands, with its citations.")
    span: Place = Field(description="Where it is in the answer.")
    check_required: bool = Field(
        description="False for what cannot be true or false: greetings, lead-ins, advice."
    )
    label: Label = Field(
        description="supported, partial, unsupported or contradicted by the sources; not_checkable "
        "where it could not be checked, which is no approval."
    )
    strength: Strength | None = Field(
        description="E3 word for word, E2 its words and figures agree, E1 in part, E0 nothing "
        "found, C1 perhaps contradicted, C2 contradicted; null where it could not be checked."
    )
    score: float | None = Field(
        description="Share of the claim that the best source holds; null where it was not checked.",
        ge=0,
        le=1,
    )
    checked_by: tuple[str, ...] = Field(description="Guards that compared it with the sources.")
    citations: tuple[ClaimCitation, ...] = Field(description="What it rests on, the best first.")
    findings: tuple[int, ...] = Field(description="Ids of the findings about it.")


class EvidenceReport(ReportPart):
    """A quote of a source that bears on a finding."""

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
    span: Place = Field(description="Where in that text.")
    observed: str = Field(description="What stands there.")
    expected: tuple[str, ...] = Field(description="What the sources say instead, if anything.")
    evidence: tuple[EvidenceReport, ...] = Field(description="Quotes that show it.")
    score: float = Field(description="How sure the guard is.", ge=0, le=1)
    fix: str | None = Field(
        description="What has to stand there instead; empty to take it out; null if unknown."
    )
    message: str = Field(description="The same in a Korean sentence.")


class CitationCount(ReportPart):
    """The citations of the answer as a whole."""

    declared: tuple[str, ...] = Field(description="Numbers and names that it cites, each once.")
    phantom: tuple[str, ...] = Field(description="Those of them that no source has.")
    misattributed: tuple[str, ...] = Field(
        description="Those cited somewhere for what their source does not say."
    )
    uncited_claims: tuple[int, ...] = Field(description="Indexes of claims without a citation.")
    recall: float | None = Field(
        description="Share of the claims that the sources they cite carry together; null if "
        "nothing is cited.",
        ge=0,
        le=1,
    )
    precision: float | None = Field(
        description="Share of the citations that carry something; null if nothing is cited.",
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
    is_accurate: bool | None = Field(description="null if that is not known.")
    confidence: float = Field(description="How sure that is.", ge=0, le=1)
    explanation: str = Field(description="Why, in Korean.")
    status: Status = Field(description="accurate, inaccurate or uncertain.")


class Renumbered(ReportPart):
    """A source that is cited by another number in the corrected answer."""

    before: int = Field(description="Its number in the answer.")
    after: int = Field(description="Its number in the corrected answer.")


class SourceReport(ReportPart):
    """A source that counted."""

    id: str = Field(description="What citations call it.")
    title: str = Field(description="Its heading; empty if it has none.")
    text: str = Field(description="The passage; spans of quotes are places in it.")
    file: str = Field(description="File name or address; empty if unknown.")
    page: int | None = Field(description="Page number; null if unknown.")
    score: float | None = Field(description="Retrieval score; null if unknown.")


class Scores(ReportPart):
    """Measures over the whole answer, from 0 to 1; null where nothing was measured."""

    support: float | None = Field(
        description="Mean over the checked claims of the share that the best source holds."
    )
    contradiction: float | None = Field(
        description="Share of the checked claims that a source contradicts."
    )
    answerability: float | None = Field(
        description="1 if there is evidence for an answer, 0 if there is none; null if no "
        "evidence was demanded."
    )
    citation: float | None = Field(
        description="Harmonic mean of the citations' recall and precision."
    )


class Thresholds(ReportPart):
    """The policy's thresholds; null where the guard that uses it is off."""

    retrieval: float | None = Field(description="Least retrieval score of evidence.")
    support: float | None = Field(
        description="Least share of a claim that a source must hold; a guard doubts one of less."
    )
    unsupported: float | None = Field(
        description="A claim of which every source holds a smaller share is `unsupported`."
    )
    relevance: float = Field(description="Least relevance of a marked source.")
    citation: float | None = Field(
        description="How sure a citation's judgement must be, and the share from which a claim is "
        "`supported`."
    )
    confidence: float = Field(description="Least confidence of a verified answer.")


class Checks(ReportPart):
    """Which checks ran, and why the others did not."""

    run: tuple[str, ...] = Field(description="Guards in force that ran.")
    shadow: tuple[str, ...] = Field(
        description="Guards that ran in shadow: traced, and without effect here."
    )
    skipped: Mapping[str, str] = Field(
        description="Check -> why it did not run: `off` in the policy, `not_asked`, "
        "`question_only`, `not_configured`, or what the exchange lacks, such as `no_sources`."
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
        description="What the policy would do with this answer in the path of a chat completion."
    )
    verified: bool = Field(
        description="The verdict is `pass`, at least one claim was compared with a source and none "
        "that could be was left out, every demanded check ran, and the confidence reaches its "
        "threshold."
    )
    confidence: float | None = Field(
        description="From 0 to 1; null if nothing could be checked.", ge=0, le=1
    )
    confidence_band: Band | None = Field(description="The confidence in one word.")
    confidence_caps: tuple[Cap, ...] = Field(description="What holds the confidence down.")
    issues: tuple[str, ...] = Field(description="What is wrong, a Korean line for each.")
    reasoning: str = Field(
        description="The judgement in one Korean line: pieces that begin with ✓, ✗ or ?, joined "
        "by ` | `. A ? stands before what could not be checked."
    )
    citations_valid: bool | None = Field(
        description="Whether every citation names a source that says what it is cited for, as far "
        "as that is known: false exactly if `verification_log` calls one inaccurate or one "
        "names no source; null if the answer cites nothing, was not checked, or there is a doubt."
    )
    scores: Scores
    thresholds: Thresholds
    claims: tuple[ClaimReport, ...] = Field(description="Every sentence of the answer, in order.")
    findings: tuple[FindingReport, ...] = Field(
        description="What the guards in force found. Those in shadow are left out."
    )
    citations: CitationCount
    original_answer: str = Field(description="The answer as it was given.")
    corrected_answer: str | None = Field(
        description="The answer after `options.correction`: the same where nothing was to be "
        "mended, or correction was `none`; null if too little of the answer would be left."
    )
    removed_citations: tuple[int, ...] = Field(
        description="Numbers that the answer cites and the corrected answer no longer does."
    )
    renumbered: tuple[Renumbered, ...] = Field(
        description="Numbers that stand for the same source under another number afterwards."
    )
    sources: tuple[SourceReport, ...] = Field(
        description="The sources that counted, in the order in which citations count them."
    )
    accuracy_rate: float | None = Field(
        description="Accurate citations among those that are accurate or inaccurate; null if none "
        "is known.",
        ge=0,
        le=1,
    )
    verification_log: tuple[CitationCheck, ...] = Field(
        description="Every pair of a statement and a source that it cites, each once."
    )
    checks: Checks
    not_checkable: tuple[NotCheckable, ...] = Field(
        description="What could not be checked, and why: the whole answer or single claims."
    )
    degraded: tuple[str, ...] = Field(
        description="Checks that were wanted and failed, as `name:reason`. Never verified with one."
    )
    timings_ms: Mapping[str, float] = Field(
        description="Time of each guard that ran and of each further step, in milliseconds."
    )
    processing_time_ms: float = Field(description="Time of it all, in milliseconds.", ge=0)

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
