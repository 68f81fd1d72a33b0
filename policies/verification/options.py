"""Input of a verification: the sources as given, and the options."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StrictInt, ValidationError
from pydantic_core import ErrorDetails

from guards.core.exchange import Source

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
        problem: What is wrong.
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
