"""The schema of golden sets, the matching of keywords, and loading from files.

Shapes are frozen; unknown members are refused. YAML and JSON hold a map with `cases`, or the list
of cases itself; JSONL holds a case per line. Problems are named by file, line and case.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Annotated, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)

from guards.text.normal import normalise
from policies.schema.base import Key, Place, PolicyError, Problem, Shape, spelled
from policies.schema.document import read_tree, remarks_on, suggestion
from policies.schema.inheritance import ENDINGS
from policies.schema.policy import Action
from proxy.openai_api.json_body import JsonObject, read_object

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
        # As a limit of the field it would be said about every set in which no case is right.
        if not self.cases:
            raise ValueError("holds no cases")
        return self


_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def case_lines(text: str) -> list[int]:
    """Return the line of each element of the member `cases` of a JSON object.

    Args:
        text: An object that `json` reads without objection.
    """
    position = _cases_at(text)
    lines: list[int] = []
    line, counted = 1, 0
    while position is not None and text[position] != "]":
        line += text.count("\n", counted, position)
        counted = position
        lines.append(line)
        position = _next(text, _DECODER.raw_decode(text, position)[1])
    return lines


def _cases_at(text: str) -> int | None:
    """Return where the first case or the end of the list stands; None if there is no list."""
    position = _next(text, _skip(text, 0) + 1)
    while text[position] != "}":
        name, end = _DECODER.raw_decode(text, position)
        value = _skip(text, _skip(text, end) + 1)
        if name == "cases":
            return _skip(text, value + 1) if text[value] == "[" else None
        position = _next(text, _DECODER.raw_decode(text, value)[1])
    return None


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _next(text: str, position: int) -> int:
    """Return where the next element or the closing bracket stands."""
    position = _skip(text, position)
    return _skip(text, position + 1) if text[position] == "," else position


LARGEST_FILE_BYTES = 32 << 20
"""Of JSON. YAML has a lower limit, that of policies: it takes a hundred times as long to read."""


class GoldenError(Exception):
    """A golden set cannot be used.

    Attributes:
        problems: Everything that is wrong, in the order of lines; never empty.
    """

    def __init__(self, *problems: Problem) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True, slots=True)
class _Written:
    """Contents of a file, with their places."""

    values: Mapping[str, JsonValue]
    place: Callable[[Key], Place]


def read_golden(content: bytes, file: str) -> GoldenSet:
    """Read a golden set.

    Args:
        content: The file's bytes, UTF-8.
        file: Its name, whose ending tells the format; for errors, too.

    Raises:
        GoldenError: it cannot be used.
    """
    reader = _READERS.get(Path(file).suffix.lower())
    if reader is None:
        known = ", ".join(_READERS)
        raise GoldenError(Problem(Place(file), "", f"is none of {known}"))
    if len(content) > LARGEST_FILE_BYTES:
        raise GoldenError(Problem(Place(file), "", f"is larger than {LARGEST_FILE_BYTES} bytes"))
    written = reader(content.removeprefix(codecs.BOM_UTF8), file)
    try:
        golden = GoldenSet.model_validate_json(json.dumps(written.values), strict=True)
    except ValidationError as error:
        remarks = remarks_on(error, GoldenSet)
        raise GoldenError(
            *(_problem(written, remark.key, remark.message) for remark in remarks)
        ) from None
    wrong = [
        *(_problem(written, *one) for one in _twice(golden, written)),
        *(_problem(written, *one) for one in _unknown_passages(golden)),
    ]
    if wrong:
        raise GoldenError(*wrong)
    return golden


def _read_yaml(content: bytes, file: str) -> _Written:
    try:
        tree = read_tree(content, file, instead_of_alias="cases share sources through `passages`")
    except PolicyError as error:
        raise GoldenError(*error.problems) from None
    values = tree.plain()
    if isinstance(values, list):
        return _Written({"cases": [*values]}, lambda key: tree.at(key[1:]))
    if not isinstance(values, dict):
        raise GoldenError(Problem(tree.place, "", "holds no cases"))
    return _Written({**values}, tree.at)


def _read_json(content: bytes, file: str) -> _Written:
    is_list = content.lstrip()[:1] == b"["
    # One way to read both; no line moves.
    whole = b'{"cases":' + content + b"}" if is_list else content
    values = _object(whole, file)
    lines = case_lines(whole.decode())
    return _Written(values, lambda key: Place(file, *_line_and_column(key, lines)))


def _line_and_column(key: Key, lines: list[int]) -> tuple[int, int]:
    number = key[1] if len(key) > 1 and key[0] == "cases" else None
    return (lines[number], 1) if isinstance(number, int) else (1, 1)


def _read_jsonl(content: bytes, file: str) -> _Written:
    numbered = [
        (number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip()
    ]
    lines = [number for number, _ in numbered]
    cases: list[JsonValue] = [_object(line, file, number) for number, line in numbered]
    return _Written({"cases": cases}, lambda key: Place(file, *_line_and_column(key, lines)))


def _object(content: bytes, file: str, line: int = 0) -> JsonObject:
    try:
        return read_object(content)
    except ValueError as error:
        # In JSONL the line is that of the file, and not the first of its own.
        said = str(error).replace("line 1, ", "") if line else str(error)
        raise GoldenError(Problem(Place(file, line, 1), "", f"is not usable: {said}")) from None


_READERS: Mapping[str, Callable[[bytes, str], _Written]] = {
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
    ".json": _read_json,
    ".jsonl": _read_jsonl,
}


def _problem(written: _Written, key: Key, message: str) -> Problem:
    if len(key) < 2 or key[0] != "cases":
        return Problem(written.place(key), spelled(key), message)
    return Problem(written.place(key), f"case {_case_name(written, key)}", _inside(key, message))


def _inside(key: Key, message: str) -> str:
    within = spelled(key[2:])
    return f"{within}: {message}" if within else message


def _case_name(written: _Written, key: Key) -> str:
    """Return a case's id, else its number, from 1."""
    cases, number = written.values["cases"], key[1]
    if not isinstance(cases, list) or not isinstance(number, int):
        return str(number)
    case = cases[number]
    name = case.get("id") if isinstance(case, dict) else None
    return repr(name) if isinstance(name, str) else f"number {number + 1}"


Remarked = tuple[Key, str]


def _twice(golden: GoldenSet, written: _Written) -> Iterator[Remarked]:
    first: dict[str, int] = {}
    for number, case in enumerate(golden.cases):
        before = first.setdefault(case.id, number)
        if before != number:
            line = written.place(("cases", before, "id")).line
            yield ("cases", number, "id"), f"is already the id of the case in line {line}"


def _unknown_passages(golden: GoldenSet) -> Iterator[Remarked]:
    for number, case in enumerate(golden.cases):
        for key, evidence in _evidence(case):
            for at, name in enumerate(evidence.passages or ()):
                if name not in golden.passages:
                    hint = suggestion(name, golden.passages)
                    place = ("cases", number, *key, "passages", at)
                    yield place, f"there is no passage {name!r}; {hint}"


def _evidence(case: Case) -> Iterator[tuple[Key, Evidence]]:
    yield (), case
    for number, turn in enumerate(case.turns):
        yield ("turns", number), turn


@dataclass(frozen=True, slots=True)
class Chosen:
    """A golden set, ready to be run.

    Attributes:
        name: The name of a shipped one; a file's name without its ending.
        policy: The policy that it was written for, by name or by file; None if it names none.
    """

    name: str
    golden: GoldenSet
    policy: str | None


@cache
def shipped_sets() -> Mapping[str, Traversable]:
    """Return the files of the sets that come with the program, by name."""
    found = sorted((files("proxy.golden") / "sets").iterdir(), key=lambda file: file.name)
    return MappingProxyType({PurePath(file.name).stem: file for file in found})


def chosen_set(choice: str) -> Chosen:
    """Return the set that somebody means: a shipped one's name, or a file.

    Raises:
        GoldenError: there is none, or it cannot be used.
    """
    if choice in shipped_sets():
        file = shipped_sets()[choice]
        golden = read_golden(file.read_bytes(), str(file))
        return Chosen(choice, golden, golden.policy)
    path = Path(choice)
    if not path.suffix:
        hint = suggestion(choice, shipped_sets())
        message = f"is neither a shipped set nor a .yaml, .json or .jsonl file; {hint}"
        raise GoldenError(Problem(Place(choice), "", message))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GoldenError(Problem(Place(choice), "", f"cannot be read: {error.strerror}")) from None
    golden = read_golden(content, choice)
    return Chosen(path.stem, golden, _beside(path, golden.policy))


def _beside(path: Path, policy: str | None) -> str | None:
    """Return a policy's name as it is, and a policy's file seen from the set's folder."""
    if policy is None or PurePath(policy).suffix not in ENDINGS:
        return policy
    return str(path.parent / policy)
