"""Questions, sources and answers as they come in daily use, as many as wanted and all different.

A case is an answer of about 1 KB to a question over five sources of about 1 KB each. It is faithful
and cites what it says, so that a guard has to read all of it and finds nothing. The same numbers
always give the same case.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter
from ruamel.yaml import YAML

ANSWER_BYTES = 1000
RECURRING_SETS = 16
ANSWERS_OF_EACH = 20
RECURRING = range(RECURRING_SETS * ANSWERS_OF_EACH)
"""Numbers of cases whose sets of sources come again and again, under answers that vary."""
SINGLE = range(len(RECURRING), len(RECURRING) + 400)
"""Numbers of cases that each have a set of sources of their own."""
STAMP = "000000000"
"""Stands in each source; another number in its place makes sources that nobody has seen."""
_SLOT = re.compile(r"\{(\w+)(?::(\d+)-(\d+)(?:/(\d+))?)?\}")
_OPENINGS = (
    "문의하신 내용을 안내해 드리겠습니다.",
    "제공된 자료를 기준으로 말씀드리겠습니다.",
    "규정에서 확인되는 내용은 다음과 같습니다.",
)


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    answer: str


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    question: str
    rules: tuple[_Rule, ...]


class _Rulebook(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    words: dict[str, str]
    documents: tuple[_Document, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A source as a retriever hands it out."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """One exchange; the answer's first sentence ends at ``first_sentence_chars``."""

    question: str
    sources: tuple[Passage, ...]
    answer: str
    first_sentence_chars: int


@dataclass(frozen=True, slots=True)
class _Statement:
    """A rule with its numbers: as its document says it and as an answer does."""

    source: str
    answer: str
    document: int


@cache
def numbered(number: int) -> Case:
    """Return a case of `RECURRING` or `SINGLE`."""
    if number in RECURRING:
        return case(number % RECURRING_SETS, number // RECURRING_SETS)
    return case(RECURRING_SETS + number - SINGLE.start, 0)


def case(sources: int, answer: int) -> Case:
    """Return the case of this set of sources and this way to answer from it."""
    book = _rulebook()
    statements, titles = _written(sources)
    chance = random.Random(f"answer {sources} {answer}")
    asked = chance.randrange(len(book.documents))
    said = _answer(statements, asked, chance)
    return Case(
        book.documents[asked].question,
        tuple(
            Passage(title, _source_text([one for one in statements if one.document == number]))
            for number, title in enumerate(titles)
        ),
        said,
        said.index("\n"),
    )


@cache
def _rulebook() -> _Rulebook:
    text = (Path(__file__).parent / "rules.yaml").read_text("utf-8")
    return TypeAdapter(_Rulebook).validate_python(YAML(typ="safe", pure=True).load(text))


@cache
def _written(sources: int) -> tuple[tuple[_Statement, ...], tuple[str, ...]]:
    """Draw the numbers of all rules of one company, and the titles of its documents."""
    book = _rulebook()
    chance = random.Random(f"sources {sources}")
    company = chance.choice(book.words["company"].split())
    statements = []
    for number, document in enumerate(book.documents):
        article = chance.randrange(5, 60)
        for rule in document.rules:
            article += chance.randrange(1, 4)
            drawn = {"no": str(article)} | {
                name: chance.choice(words.split()) for name, words in book.words.items()
            }
            statements.append(_drawn(rule, number, drawn, chance))
    titles = tuple(one.title.replace("{company}", company) for one in book.documents)
    return tuple(statements), titles


def _drawn(rule: _Rule, document: int, drawn: dict[str, str], chance: random.Random) -> _Statement:
    def fill(slot: re.Match[str]) -> str:
        name, first, last, step = slot.groups()
        if first is not None:
            numbers = range(int(first), int(last) + 1, int(step or 1))
            drawn[name] = str(chance.choice(numbers))
        return drawn[name]

    return _Statement(_SLOT.sub(fill, rule.source), _SLOT.sub(fill, rule.answer), document)


def _source_text(statements: Sequence[_Statement]) -> str:
    return "\n".join([f"문서번호 {STAMP}", *(one.source for one in statements)])


def _answer(statements: Sequence[_Statement], asked: int, chance: random.Random) -> str:
    """Say what the asked document rules, then of the others, up to the wanted size."""
    first = [one for one in statements if one.document == asked]
    others = [one for one in statements if one.document != asked]
    order = chance.sample(first, len(first)) + chance.sample(others, len(others))
    mark = chance.choice(("- ", "", "* "))
    lines = [_cited(order[0]), "", chance.choice(_OPENINGS), ""]
    for one in order[1:]:
        if len("\n".join(lines).encode()) >= ANSWER_BYTES:
            break
        lines.append(mark + _cited(one))
    return "\n".join(lines)


def _cited(one: _Statement) -> str:
    return f"{one.answer}[{one.document + 1}]"
