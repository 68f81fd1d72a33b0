"""The shape of a golden set, and the keywords that its cases look for.

Shapes are frozen; unknown members are refused.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from guards.text.normal import normalise
from policies.schema.base import Shape
from policies.schema.policy import Action
from proxy.openai_api.json_body import JsonObject

_COMMA_OF_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FIGURE_BEFORE = r"(?<!\d)(?<!\d[.,])(?<!\d[십백천만억])(?<!\d[십백천만억]\s)"
_FIGURE_AFTER = r"(?!\d|[.,]\d)"
_DENIED_BEFORE = r"(?<!\b[불부비미무])"
_LATIN = re.compile(r"[a-z]")
_HANGUL = re.compile(r"[가-힣]")


def is_visible(word: str) -> bool:
    """Tell whether there is anything to look for."""
    return bool(_compared(word).strip())


def says(text: str, word: str) -> bool:
    """Tell whether a text says a keyword.

    Compared are normal forms (NFKC, one kind of dash and quote), upper and lower case alike,
    figures with or without commas between thousands, and spacing does not count: ``체크 인`` is
    ``체크인``.

    A figure at the edge of a keyword is not found inside a longer one (``5일`` is not said by
    ``15일``, nor ``5천원`` by ``3만 5천원``), nor a Latin word inside a longer one, nor a Korean
    word behind a prefix that denies it (``가능`` is not said by ``불가능``) or made of the edges of
    others (``환불 가능`` does not say ``불가능``). Otherwise Korean words are found with whatever
    stands before them in a word, and whatever particle or ending follows.
    """
    return _pattern(word).search(_compared(text)) is not None


def says_any(text: str, words: Iterable[str]) -> bool:
    """Tell whether a text says one of several words for the same."""
    return any(says(text, word) for word in words)


def _compared(text: str) -> str:
    return _COMMA_OF_THOUSANDS.sub("", normalise(text).text.casefold())


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    words = _compared(word).split()
    characters = "".join(words)
    first, rest = characters[0], characters[1:]
    begin = re.escape(first) + r"\s*"
    if _HANGUL.match(first) and len(words[0]) > 1:
        # One syllable before a space that the keyword does not have may end another word.
        begin = rf"(?:(?<!\w){first}\s*|{first})"
    spelled = begin + r"\s*".join(map(re.escape, rest))
    return re.compile(_before(first) + spelled + _after(characters[-1]))


def _before(first: str) -> str:
    if first.isdigit():
        return _FIGURE_BEFORE
    if _HANGUL.match(first):
        return _DENIED_BEFORE
    return r"(?<![a-z])" if _LATIN.match(first) else ""


def _after(last: str) -> str:
    if last.isdigit():
        return _FIGURE_AFTER
    return r"(?![a-z])" if _LATIN.match(last) else ""


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
