"""The shape of a golden set: what one file may say. Frozen; unknown members are refused."""

from typing import Annotated, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from policies.schema.base import Shape
from policies.schema.policy import Action
from proxy.golden.keywords import is_visible
from proxy.openai_api.json_body import JsonObject

MOST_CASES = 10_000
MOST_TURNS = 50
MOST_WORDS = 100
LONGEST_TEXT_CHARS = 100_000
RESERVED = frozenset({"messages", "model", "stream"})
"""Members of a request that the runner writes itself."""
DEFAULT_INSTRUCTIONS = "아래 자료에 있는 내용만으로 한국어로 답해 주세요."


def _several(value: object) -> object:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _visible(word: str) -> str:
    if not is_visible(word):
        raise ValueError("must hold something to look for")
    return word


def _no_reserved_member(body: JsonObject) -> JsonObject:
    taken = sorted(RESERVED & body.keys())
    if taken:
        raise ValueError(f"cannot hold `{taken[0]}`, which the runner writes itself")
    return body


T = TypeVar("T")
Several: TypeAlias = Annotated[
    tuple[T, ...], BeforeValidator(_several), Field(min_length=1, max_length=MOST_WORDS)
]
"""One value, or a list of them."""
Text = Annotated[str, Field(max_length=LONGEST_TEXT_CHARS)]
Words = Annotated[str, Field(max_length=1000), AfterValidator(_visible)]
Keyword: TypeAlias = Several[Words]
"""A keyword, or a list of ways to say the same."""
Name = Annotated[str, Field(pattern=r"^[^\s\x00-\x1f](.{0,198}[^\s\x00-\x1f])?$")]
Body = Annotated[JsonObject, AfterValidator(_no_reserved_member)]


class Passage(Shape):
    """A passage that the answer may rest on, as retrieval would have brought it."""

    title: str = ""
    text: Text
    file: str = ""
    page: int | None = None
    score: float | None = Field(None, ge=0, le=1, description="Retrieval score.")
    id: str | None = Field(None, min_length=1, description="What a citation calls it.")


class Expectation(Shape):
    """Expected result of one question."""

    expected_keywords: tuple[Keyword, ...] = Field(
        (), max_length=MOST_WORDS, description="What the reply says; a list holds alternatives."
    )
    forbidden_keywords: tuple[Words, ...] = Field(
        (), max_length=MOST_WORDS, description="What the reply may not say."
    )
    min_score: float = Field(1.0, ge=0, le=1, description="Least share of expected keywords.")
    expected_action: Several[Action] | None = Field(
        None, description="What the proxy does; a list holds alternatives."
    )
    expected_reason: Several[Words] | None = Field(
        None, description="How one of the reasons begins; a list holds alternatives."
    )
    forbidden_reason: Several[Words] | None = Field(
        None, description="How none of the reasons begins; a list holds several."
    )


class Evidence(Shape):
    """Evidence for the answer. Without any, the request has no context block."""

    passages: tuple[str, ...] | None = Field(
        None, description="Names of the set's passages; an empty list is an empty context block."
    )
    sources: tuple[Passage, ...] | None = Field(None, description="Passages written out.")
    context: Text | None = Field(
        None,
        description="A context block as an app writes it, in which the proxy has to find the "
        "sources itself; not beside the others.",
    )

    @property
    def is_given(self) -> bool:
        """True if any evidence is given."""
        return any(one is not None for one in (self.passages, self.sources, self.context))

    @model_validator(mode="after")
    def _one_channel(self) -> "Evidence":
        exact = self.passages is not None or self.sources is not None
        if self.context is not None and exact:
            raise ValueError("`context` cannot stand beside `passages` or `sources`")
        return self


_OF_A_TURN = frozenset({"model", "stream", *Expectation.model_fields})
_OF_ALL_TURNS = tuple(Evidence.model_fields)


class Turn(Expectation, Evidence):
    """One question of a conversation."""

    query: Text = Field(min_length=1, description="The user's words.")
    stream: bool = False
    request: Body = Field(
        default_factory=dict, description="Further members of the request's body."
    )
    model: Several[Text] | None = Field(
        None,
        description="What a scripted model says, first and when it is called again with what was "
        "wrong; the last one is used for all further calls.",
    )


class Case(Expectation, Evidence):
    """One case: a `query`, or the `turns` of a conversation, whose evidence it may hold for all."""

    id: Name
    category: Name = "uncategorised"
    scope: str = Field("", description="Whom or what it is about, to filter by.")
    about: str = Field("", description="What it shows.")
    instructions: Text | None = Field(None, description="System prompt instead of the set's.")
    query: Text | None = Field(None, min_length=1, description="The user's words.")
    stream: bool = False
    request: Body = Field(
        default_factory=dict, description="Further members of the request's body, in every turn."
    )
    model: Several[Text] | None = Field(None, description="See a turn's.")
    turns: tuple[Turn, ...] = Field((), max_length=MOST_TURNS)

    @model_validator(mode="after")
    def _one_shape(self) -> "Case":
        if (self.query is None) == (not self.turns):
            raise ValueError("needs either a `query` or `turns`")
        astray = sorted(self.model_fields_set & _OF_A_TURN)
        if self.turns and astray:
            raise ValueError(f"`{astray[0]}` belongs into the turns")
        return self

    @property
    def asked(self) -> tuple[Turn, ...]:
        """Its turns, each with what the case says for all of them."""
        if self.query is not None:
            own = {name: getattr(self, name) for name in Turn.model_fields}
            return (Turn.model_construct(**own),)
        return tuple(self._completed(turn) for turn in self.turns)

    def _completed(self, turn: Turn) -> Turn:
        shared = {} if turn.is_given else {name: getattr(self, name) for name in _OF_ALL_TURNS}
        return turn.model_copy(update={**shared, "request": self.request | turn.request})


class GoldenSet(Shape):
    """A golden set."""

    about: str = Field("", description="What it is for.")
    policy: str | None = Field(
        None,
        description="Policy that it was written for: a shipped one's name, or a file beside it.",
    )
    instructions: Text = Field(DEFAULT_INSTRUCTIONS, description="System prompt of the cases.")
    passages: dict[str, Passage] = Field(
        default_factory=dict, description="Passages that cases share, by name."
    )
    cases: tuple[Case, ...] = Field(max_length=MOST_CASES)

    @model_validator(mode="after")
    def _some_cases(self) -> "GoldenSet":
        # As a limit of the field it would be said of every set in which no case is right.
        if not self.cases:
            raise ValueError("holds no cases")
        return self
