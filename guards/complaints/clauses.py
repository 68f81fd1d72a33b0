"""The clauses of a message, with what each complains of, names and asks for.

Evidence of a complaint is a construction of the tables in `guards.lexicons`. Some can only mean the
bot, its answer or the service (``complaints_of_the_talk.txt``); the others count where the clause
names nothing else that they may be about, and nobody else (``complaints_unnamed.txt``).

A construction is a row of items. An item is a dictionary form (``못``), which a tag may follow
(``말:NNG``), a kind of words (``@answer``) or the beginning of a tag (``+N``); ``a|b`` is either,
``a?`` may be missing, ``!a`` is any word but it, ``..`` stands for up to three words and ``...``
for up to seven, ``^`` is the beginning of the clause and ``$`` its end. Between two items particles
and other words without weight may stand, and behind the end endings and afterthoughts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from guards.complaints.swearing import Swearword, swearwords
from guards.complaints.words import TOPIC, Word, words
from guards.lexicons.loading import lines, sections

_SKIPPED = r"(?:[^ ]*,(?:pad|sigh|exclaim),[^ ]* ){0,5}?"
_ANY = r"[^ ]+ "
_NO_TOPIC = r"(?![^ ]*,topic,)[^ ]+ "
_GAPS = {"..": 3, "...": 7}
_AFTERWARDS = "pad|sigh|exclaim|you|bot|again|this|face|assert"
_END = rf"(?:[^ ]*(?:,(?:{_AFTERWARDS}),|/E[A-Z]*/,[^ ]*)[^ ]* ){{0,9}}\Z"


class Found(NamedTuple):
    """A construction found: half-open places among the words, and its number in the table."""

    start: int
    end: int
    number: int


class Constructions:
    """Constructions, each with a pattern that is compiled when it is first needed.

    All of them together would take a request a tenth of a second.

    Args:
        notations: Constructions in the notation of this module.
        across_topics: Whether any words may stand in the gaps, or none that name a topic.
    """

    def __init__(self, notations: Iterable[str], *, across_topics: bool) -> None:
        gap = _ANY if across_topics else _NO_TOPIC
        self._patterns = [(_needed(notation), _pattern(notation, gap)) for notation in notations]
        self._with: dict[str, list[int]] = {}
        for number, (needed, _) in enumerate(self._patterns):
            for form in min(needed, key=len, default=("",)):
                self._with.setdefault(form, []).append(number)

    def found(self, said: Sequence[Word]) -> Iterator[Found]:
        """Yield the first place of every construction in a clause."""
        text, starts = _written(said)
        there = {"", *(word.form for word in said)}
        there.update(f"@{kind}" for word in said for kind in word.kinds)
        for number in sorted({one for form in there for one in self._with.get(form, ())}):
            needed, pattern = self._patterns[number]
            if any(map(there.isdisjoint, needed)):
                continue
            match = _compiled(pattern).search(text)
            if match:
                yield Found(starts[match.start()], starts[match.end()], number)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _written(said: Sequence[Word]) -> tuple[str, dict[int, int]]:
    """Return the words as one text, and which word begins at which place of it."""
    starts: dict[int, int] = {}
    pieces: list[str] = []
    length = 0
    for number, word in enumerate(said):
        starts[length] = number
        kinds = ",".join(sorted(word.kinds))
        pieces.append(f"{word.form.replace(' ', '')}/{word.tag}/,{kinds}, ")
        length += len(pieces[-1])
    starts[length] = len(said)
    return "".join(pieces), starts


def _needed(notation: str) -> list[frozenset[str]]:
    """Return for each item that must be there the forms and kinds of which one has to be."""
    ways = [
        frozenset(way.partition(":")[0] for way in item.split("|"))
        for item in notation.split()
        if item not in {"^", *_GAPS} and not item.endswith("?") and not item.startswith("!")
    ]
    return [one for one in ways if "$" not in one and not any(way[0] == "+" for way in one)]


def _pattern(notation: str, gap: str) -> str:
    items = notation.split()
    pattern = r"(?<![^ ])"
    for number, item in enumerate(items):
        if item == "^":
            pattern += r"\A" + _SKIPPED
        elif item == "$":
            pattern += _END
        elif item in _GAPS:
            pattern += f"(?:{gap}){{0,{_GAPS[item]}}}?{_SKIPPED}"
        elif item.endswith("?"):
            pattern += f"(?:{_one_of(item[:-1])}{_SKIPPED})?"
        else:
            pattern += _one_of(item) + (_SKIPPED if number < len(items) - 1 else "")
    return pattern


def _one_of(item: str) -> str:
    if item.startswith("!"):
        return f"(?!{_one_of(item[1:])}){_ANY}"
    return f"(?:{'|'.join(map(_one, item.split('|')))})"


def _one(item: str) -> str:
    if item == "$":
        return f"(?={_END})"
    if item.startswith("@"):
        return rf"[^ ]*/,[^ ]*(?<=,){item[1:]},[^ ]* "
    if item.startswith("+"):
        return rf"[^ /]*/{item[1:]}[^ ]* "
    form, _, tag = item.partition(":")
    return rf"{re.escape(form)}/{tag}[^ ]* "


_PIECE = re.compile(r"[^.?!,;~…\n]+")
# A longer clause says more than that somebody is fed up.
_MOST_WORDS = 40
_WEIGHTLESS = frozenset(("pad", "sigh", "exclaim"))
_UNSPECIFIC = frozenset(("왜", "뭐", "무엇", "머", "무슨"))
_ONLY_SIGHS = re.compile(r"[\W_]*?(?P<sigh>-_+-|;{2,}|[.…]{4,})[\W_]*")
_SECOND_PERSON = frozenset(("you", "bot"))
# A question without its predicate: 신청 방법은?
_LEFT_OPEN = frozenset(("JX", "NNG", "NNP"))


@dataclass(frozen=True, slots=True)
class Grievance:
    """Subject of a complaint in a clause.

    Attributes:
        start: Where it begins in the message.
        end: Behind its last character.
        is_sure: Whether only the bot, its answer or the service can be meant.
        is_sigh: Whether it is nothing but a sigh.
    """

    start: int
    end: int
    is_sure: bool = False
    is_sigh: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message between two marks, its swear words set apart.

    Attributes:
        swearwords: Those that stand in it.
        grievance: What it complains of.
        asks: Whether it asks for something that can be answered.
        kinds: What the word list calls its words; ``topic`` if it speaks of more than the talk.
        names_others: Whether it names other people.
    """

    swearwords: tuple[Swearword, ...]
    grievance: Grievance | None
    asks: bool
    kinds: frozenset[str]
    names_others: bool

    def swears_at_us(self) -> bool:
        """Tell whether swear words mean the bot: by form or address, or as nobody else is named."""
        if any(word.calls for word in self.swearwords):
            return True
        if self.names_others:
            return False
        addresses = any(word.addresses for word in self.swearwords)
        return addresses or bool(self.kinds & _SECOND_PERSON) or TOPIC not in self.kinds


@cache
def _of_the_talk() -> Constructions:
    return Constructions(lines("complaints_of_the_talk"), across_topics=True)


@cache
def _unnamed() -> Constructions:
    return Constructions(lines("complaints_unnamed"), across_topics=False)


@cache
def _limits(section: str) -> Constructions:
    return Constructions(sections("complaint_limits")[section], across_topics=True)


def clauses(message: str) -> Iterator[Clause]:
    """Yield the clauses of a message."""
    signs = _ONLY_SIGHS.fullmatch(message)
    if signs:
        yield _sighing(*signs.span("sigh"))
    sworn = swearwords(message)
    calm = message
    for word in sworn:
        calm = calm[: word.start] + " " * (word.end - word.start) + calm[word.end :]
    for piece in _PIECE.finditer(calm):
        start, end = piece.span()
        inside = tuple(word for word in sworn if start <= word.start < end)
        said = tuple(
            word._replace(start=word.start + start, end=word.end + start)
            for word in words(piece[0])
        )
        yield _clause(said, inside, is_question="?" in message[end : end + 2])


def _sighing(start: int, end: int) -> Clause:
    """Return a message that holds only the signs of a sigh as a clause."""
    sigh = Grievance(start, end, is_sigh=True)
    return Clause((), sigh, asks=False, kinds=frozenset(), names_others=False)


def _clause(said: tuple[Word, ...], sworn: tuple[Swearword, ...], *, is_question: bool) -> Clause:
    kinds = frozenset[str]().union(*(word.kinds for word in said))
    elsewhere = any(_limits("never").found(said))
    elsewhere = elsewhere or ("others" in kinds and not kinds & _SECOND_PERSON)
    possible = not elsewhere and len(said) <= _MOST_WORDS
    sure = list(_of_the_talk().found(said)) if possible else []
    evidence = sure or (_evidence_alone(said) if possible else [])
    grievance = _grievance(said, evidence, is_sure=bool(sure))
    return Clause(
        sworn,
        grievance or _sigh(said),
        _asks(said, evidence, sworn, is_question=is_question),
        kinds,
        elsewhere,
    )


def _evidence_alone(said: tuple[Word, ...]) -> list[Found]:
    if any(_limits("harmless").found(said)):
        return []
    evidence = list(_unnamed().found(said))
    covered = {at for one in evidence for at in range(one.start, one.end)}
    topics = {at for at, word in enumerate(said) if TOPIC in word.kinds}
    return evidence if topics <= covered else []


def _grievance(said: tuple[Word, ...], evidence: list[Found], *, is_sure: bool) -> Grievance | None:
    if not evidence:
        return None
    first, last = min(one.start for one in evidence), max(one.end for one in evidence)
    while last < len(said) and _belongs_to_it(said[last]):
        last += 1
    return Grievance(said[first].start, said[last - 1].end, is_sure)


def _belongs_to_it(word: Word) -> bool:
    return word.tag.startswith("E") or bool(word.kinds & _WEIGHTLESS)


def _sigh(said: tuple[Word, ...]) -> Grievance | None:
    """Return a clause of nothing but sighs and words without weight."""
    sighs = any("sigh" in word.kinds for word in said)
    if sighs and all(word.kinds & _WEIGHTLESS for word in said):
        return Grievance(said[0].start, said[-1].end, is_sigh=True)
    return None


def _asks(
    said: tuple[Word, ...],
    evidence: list[Found],
    sworn: tuple[Swearword, ...],
    *,
    is_question: bool,
) -> bool:
    """Tell whether the clause asks for something besides what it complains of."""
    covered = {at for one in evidence for at in range(one.start, one.end)}
    rest = tuple(word for at, word in enumerate(said) if at not in covered)
    requests = {rest[one.start].form for one in _limits("request").found(rest)}
    # A "why" together with an insult is not a question.
    if any(word.addresses for word in sworn) or not any(TOPIC in word.kinds for word in rest):
        return bool(requests - _UNSPECIFIC) and not evidence
    return bool(requests) or (is_question and (not evidence or said[-1].tag in _LEFT_OPEN))
