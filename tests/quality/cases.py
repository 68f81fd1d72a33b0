"""The sets of cases and their index, read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, TypeAdapter, model_validator

from policies.schema.document import read_tree

SETS = Path(__file__).with_name("sets")
INDEX = "sets.yaml"


class Role(StrEnum):
    """What the figures of a set are worth."""

    DEV = "dev"
    """It was read, and tuned on."""
    UNSEEN = "unseen"
    """Nobody who works on the guards has read it."""


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True)


class SourceText(_Read):
    section_title: str | None = None
    section_content: str


class Turn(_Read):
    role: str
    content: str


class Twin(_Read):
    """A copy of the faithful answer with one planted error, at `wrong`."""

    kind: str
    wrong: str
    why: str = ""
    answer: str = ""
    find: str = ""
    replace: str = ""


class AnswerCase(_Read):
    """An answer that has to leave as it is, and its twins."""

    id: str
    domain: str
    question: str
    sources: tuple[SourceText, ...]
    history: tuple[Turn, ...] = ()
    faithful: str
    twins: tuple[Twin, ...]

    @model_validator(mode="after")
    def _check_twins(self) -> "AnswerCase":
        for twin in self.twins:
            if not twin.answer and self.faithful.count(twin.find) != 1:
                raise ValueError(f"{self.id}: {twin.find!r} must stand in `faithful` exactly once")
            if twin.wrong not in self.answer_of(twin):
                raise ValueError(f"{self.id}: {twin.wrong!r} does not stand in its answer")
        return self

    def answer_of(self, twin: Twin) -> str:
        """Return the answer with the error."""
        return twin.answer or self.faithful.replace(twin.find, twin.replace)


class ComplaintCase(_Read):
    """What a user says, and who wrote it; `mixed` carries a question that has to be answered."""

    hand: str = ""
    text: str
    label: Literal["complaint", "question", "mixed"]


class AnswerabilityCase(_Read):
    """A question, and whether the sources answer it or are only near it."""

    id: str
    question: str
    sources: tuple[SourceText, ...]
    answerable: bool


class DirectCase(_Read):
    """A question, and the lines of its sources of which each answers it; none if nothing does."""

    id: str
    question: str
    sources: tuple[SourceText, ...]
    right: tuple[str, ...]
    kind: str

    @model_validator(mode="after")
    def _check_right(self) -> "DirectCase":
        for line in self.right:
            if not any(line in source.section_content for source in self.sources):
                raise ValueError(f"{self.id}: {line!r} stands in no source")
        return self


Case: TypeAlias = AnswerCase | ComplaintCase | AnswerabilityCase | DirectCase
_KINDS: dict[str, type[Case]] = {
    "answers": AnswerCase,
    "complaints": ComplaintCase,
    "answerability": AnswerabilityCase,
    "direct_answers": DirectCase,
}


class Entry(_Read):
    """What the index says of a set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["answers", "complaints", "answerability", "direct_answers"]
    role: Role
    frozen: date
    first_run: date | None = None


@dataclass(frozen=True)
class CaseSet:
    name: str
    entry: Entry
    cases: Sequence[Case]


def read_sets(folder: Path = SETS) -> list[CaseSet]:
    """Read every set that the index of a folder names."""
    index = folder / INDEX
    tree = read_tree(index.read_bytes(), str(index), instead_of_alias="write it twice")
    entries = TypeAdapter(dict[str, Entry]).validate_python(tree.plain())
    return [CaseSet(name, entry, _cases(folder, name, entry)) for name, entry in entries.items()]


def _cases(folder: Path, name: str, entry: Entry) -> list[Case]:
    kind = _KINDS[entry.kind]
    lines = (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [kind.model_validate_json(line) for line in lines if line.strip()]
