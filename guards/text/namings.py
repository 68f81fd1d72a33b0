"""The owner of a value (office, room, purpose), and whether a claim gives it to the wrong one.

Each label beside a value identifies it by itself: ``행정실(학비) 055-000-0000`` belongs to the
office and to the purpose, and each cell of a table row is a label of the values beside it. A value
counts as another's only if the claim contains a whole label of that other, and no word that only
the given value has.

Tables, lists and lines of codes bind names to what they are for: ``| 도예 | 나은별 |`` a teacher to
a course, ``심사1팀(신규), 심사2팀(연장)`` teams to their matters, ``E2 배수 불량`` a meaning to a
code. Only what is bound in one line or row counts.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, TypeVar

from guards.core.reading import Part, Reading, SourceSet, Text
from guards.text.normal import dense
from guards.text.particles import content_words, stem, subjects, word_stem

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_RULE = re.compile(r"[ \t|:+-]+")
_PIECE_END = re.compile(
    r"[,.;:!?|/\n()\[\]]|(?<=[고며서])[ ]|(?<=지만)[ ]|(?<=는데)[ ]|(?:또는|혹은|및)[ ]"
)
_LABEL_END = re.compile(r"[,.:/·()\[\]]|(?<=이나)[ ]")
_CLOSED_BRACKET = re.compile(r"\((?P<inside>[^()\n]{1,40})\)")
CLAUSE_END = re.compile(r"[;|/]|[.!?][ \n]|(?<=[고며])[ ]|(?<=지만)[ ]|(?<=는데)[ ]")
_BRACKET_BEHIND = re.compile(r"(?:번|로|으로)?[ ]?\((?P<label>[^()\d\n]{1,24})\)")
_OFFICE = re.compile(
    r".{1,20}[팀과부처실국원청점관소]"
    r"|.{0,20}(?:센터|지점|본부|사무소|사무국|창구|데스크|프런트|프론트)"
)
_DIGITS = re.compile(r"\d+[층호월일시분원번명개]?")
_VERB = re.compile(
    r"(?:[시으]면|[니습]니다|하여|해서|려면|[하가오]고|[세어아]요|[있없]으며|[는한된할될])$"
)
_LOOK_BACK_CHARS = 60
_WORDS_KEPT = 16_384
_VERB_OF_NOUN = re.compile(r"(?P<noun>[가-힣]{2,8}?)(?:[하해한할했되된될돼]|받[으을은아])")

Span = tuple[int, int]
Form = frozenset[str]
"""A word's surface and stem: two words are one if they share either."""
Label = tuple[Form, ...]
Naming = tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A value's place and what may name it.

    Attributes:
        start: Where the value begins.
        labels: Each names it alone, if all its words are said.
        office: The office's name right before it; None if there is none.
    """

    start: int
    labels: Naming
    office: Form | None = None

    @property
    def forms(self) -> frozenset[str]:
        """Every word of the labels, in its forms."""
        return frozenset(form for label in self.labels for word in label for form in word)


def named(
    raw: str,
    spans: Sequence[Span],
    telling_nothing: Set[str],
    behind: re.Pattern[str] = _BRACKET_BEHIND,
) -> list[Named]:
    """Return what may name each of some values.

    Args:
        raw: The text.
        spans: The places of the values, in order.
        telling_nothing: Words that say what a value is, not whose.
        behind: Finds a label right behind a value, as its group ``label``.
    """
    found: list[Named] = []
    at, header = 0, ""
    for line in _LINE.finditer(raw):
        begun = at
        while at < len(spans) and spans[at][0] < line.end():
            at += 1
        is_row = line[0].count("|") > 1
        if is_row and not header:
            header = line[0]
        elif not is_row:
            header = ""
        here = spans[begun:at]
        pieces = (
            _in_row(line, here, header) if is_row else _in_line(raw, line.start(), here, behind)
        )
        previous: Naming = ()
        for span, own in zip(here, pieces, strict=True):
            labels = _labels(own, telling_nothing) or previous
            found.append(Named(span[0], labels, _office_before(own, telling_nothing)))
            previous = labels
    return found


def _in_row(line: re.Match[str], spans: Sequence[Span], header: str) -> Iterator[list[str]]:
    if _RULE.fullmatch(line[0].strip()):
        return
    cells = line[0].split("|")
    columns = [line[0].count("|", 0, start - line.start()) for start, _ in spans]
    above = header.split("|")
    beside = [cell for number, cell in enumerate(cells) if number not in columns]
    for column in columns:
        yield [*beside, *above[column : column + 1], cells[column]]


def _in_line(
    raw: str, start_of_line: int, spans: Sequence[Span], behind: re.Pattern[str]
) -> Iterator[list[str]]:
    previous = start_of_line
    for start, end in spans:
        pieces = _pieces_before(raw[max(previous, start - _LOOK_BACK_CHARS) : start])
        label = behind.match(raw, end)
        yield [*pieces, *([label["label"]] if label else [])]
        previous = end


def _pieces_before(before: str) -> list[str]:
    """Return the piece before a value, with what a bracket or colon sets apart from it."""
    segment = CLAUSE_END.split(before)[-1]
    brackets = [bracket["inside"] for bracket in _CLOSED_BRACKET.finditer(segment)]
    outside = _CLOSED_BRACKET.sub("", segment)
    telling = [piece for piece in _PIECE_END.split(outside) if label_of(piece)]
    # What an open bracket stands behind names the value too: 세정과(담당 …
    is_inside = "(" in outside and label_of(outside.rpartition("(")[2])
    pieces = telling[-2:][::-1] if is_inside else telling[-1:]
    head = _PIECE_END.split(outside.rpartition(":")[0])[-1]
    return [*pieces, *brackets[-1:], *([head] if head and head not in pieces else [])]


def _office_before(pieces: Sequence[str], telling_nothing: Set[str]) -> Form | None:
    """Return the office that the piece next to a value ends with."""
    words = label_of(pieces[0]) if pieces else ()
    telling = [word for word in words if word.isdisjoint(telling_nothing)]
    return telling[-1] if telling and is_office(telling[-1]) else None


def _labels(pieces: Sequence[str], telling_nothing: Set[str]) -> Naming:
    """Return the labels of some pieces; an office's name is one beside the rest of its piece."""
    labels: dict[Label, None] = {}
    for piece in pieces:
        for part in _LABEL_END.split(piece):
            words = tuple(
                word
                for word in label_of(_DIGITS.sub(" ", part))
                if word.isdisjoint(telling_nothing) and not _is_predicate(word)
            )
            offices = [word for word in words if is_office(word)]
            labels.update({(word,): None for word in offices})
            rest = tuple(word for word in words if word not in offices)
            if rest:
                labels[rest] = None
    return tuple(labels)


def _is_predicate(word: Form) -> bool:
    """Tell whether a word is a predicate, which names nobody: 방문하시면, 있습니다."""
    has_ending = any(stem(form) != word_stem(form) for form in word)
    return has_ending or _VERB.search(min(sorted(word), key=len)) is not None


def label_of(text: str) -> Label:
    """Return the content words of a text, each in its forms."""
    return tuple([_form(word) for word in subjects(text)])


@lru_cache(maxsize=_WORDS_KEPT)
def _form(word: tuple[str, str]) -> Form:
    return frozenset(word)


def said_in(text: str) -> frozenset[str]:
    """Return the words of a text in their forms, and the nouns of its verbs (주차하실, 주차)."""
    words = {form for word in content_words(text) for form in (word.text, word.stem)}
    nouns = {found["noun"] for word in words if (found := _VERB_OF_NOUN.match(word))}
    return frozenset(words | nouns)


def is_office(word: Form) -> bool:
    """Tell whether a word names an office."""
    return any(map(_OFFICE.fullmatch, word))


ValueT = TypeVar("ValueT")
# A word that names more values than these tells none apart.
_MOST_OF_ONE = 40


@dataclass(frozen=True, slots=True)
class Owned(Generic[ValueT]):
    """A value of a source and whose it is; two that say the same are one, wherever they stand.

    Attributes:
        value: The value.
        written: How to write it.
        labels: What may name it.
        source_id: Id of the source.
        sentence: Where it stands, verbatim.
        is_general: It serves all that the values beside it serve each.
    """

    value: ValueT = field(compare=False)
    written: str
    labels: Naming
    source_id: str
    sentence: str = field(compare=False)
    is_general: bool = False


class Ownership(Generic[ValueT]):
    """The values of the sources by the words that name them."""

    def __init__(self) -> None:
        self._entries: dict[Owned[ValueT], None] = {}
        self._by_form: dict[str, dict[Owned[ValueT], None]] = defaultdict(dict)

    def __iter__(self) -> Iterator[Owned[ValueT]]:
        """Yield the values, each once for each way to name it."""
        return iter(self._entries)

    def add(self, entry: Owned[ValueT]) -> bool:
        """Take a value in; tell whether it was new."""
        if entry in self._entries:
            return False
        self._entries[entry] = None
        for label in entry.labels:
            for word in label:
                for form in word:
                    self._by_form[form][entry] = None
        return True

    def named_by(self, said: Set[str]) -> tuple[Owned[ValueT], ...]:
        """Return the values of which a claim says a whole label; its words come in their forms."""
        found = {entry: None for form in sorted(said) for entry in self._of(form)}
        return tuple(
            entry
            for entry in found
            if any(all(word & said for word in label) for label in entry.labels)
        )

    def owners_instead(
        self, said: Set[str], given: Set[Owned[ValueT]], office: Set[str] = frozenset()
    ) -> tuple[Owned[ValueT], ...]:
        """Return the values that a claim names, none of which is the one that it gives.

        Empty where the value may be the named one's own: where a word of the claim names it and no
        other, where the sources do not say whose it is, or where it serves all. Words do not excuse
        a value that stands right behind the name of another office.

        Args:
            said: The words around the value in the answer, in their forms.
            given: The values of the sources that are the one that the answer gives.
            office: The name of the office right before it, in its forms.
        """
        if not given or any(entry.is_general or not entry.labels for entry in given):
            return ()
        of_office = {entry: None for form in sorted(office) for entry in self._of(form)}
        if of_office and given.isdisjoint(of_office):
            return tuple(of_office)
        if self._is_told_apart(said, given):
            return ()
        own = {form for entry in given for label in entry.labels for word in label for form in word}
        return tuple(entry for entry in self.named_by(said) if _is_anothers(entry, said, own))

    def _is_told_apart(self, said: Set[str], given: Set[Owned[ValueT]]) -> bool:
        """Tell whether some word of a claim names the value that it gives, and no other."""
        return any(
            bool(entries) and entries <= given for entries in (set(self._of(form)) for form in said)
        )

    def _of(self, form: str) -> Collection[Owned[ValueT]]:
        entries = self._by_form.get(form, {})
        return entries.keys() if len(entries) <= _MOST_OF_ONE else ()


def _is_anothers(entry: Owned[ValueT], said: Set[str], own: Set[str]) -> bool:
    """Tell whether a claim names a value by a label of which the given one has no word."""
    return any(
        all(word & said and word.isdisjoint(own) for word in label) for label in entry.labels
    )


_ROLE = re.compile(
    r"[ *]*(?:강사|교사|교수|강연자|진행자|상담사|책임자|장소|강의실|교실"
    r"|담당(?:부서|팀|자)?|부서|팀)명?[ *]*"
)
_CELL = re.compile(r"[가-힣A-Za-z0-9 ]{2,16}")
_TITLE = (
    r"(?=대표|소장|원장|강사|교수|교사|과장|팀장|매니저|선생님|센터장|부장|박사|작가|코치|관장"
    r"|학예사|주무관|사서)"
)
# Each with what stands in all of its matches, which is found faster.
LISTED = (
    (
        re.compile(r"[팀과부터실구점차][ ]?\("),
        re.compile(
            r"(?P<name>[가-힣A-Za-z0-9]{1,12}(?:팀|과|부|센터|실|창구|지점|호차))[ ]?"
            r"\((?P<key>[가-힣A-Za-z·, ]{2,20})\)"
        ),
    ),
    (
        re.compile(r"\((?:담당|강사|교사|지도|진행)"),
        re.compile(
            r"(?P<key>[가-힣 ]{2,14})"
            r"\((?:담당|강사|교사|지도|진행)[ :]?(?P<name>[가-힣]{2,4})(?=[,) ])"
        ),
    ),
    (
        re.compile(rf"[ ]{_TITLE}"),
        re.compile(rf"(?P<key>[가-힣]{{2,10}})[ ]?[-:–]?[ ](?P<name>[가-힣]{{3}})[ ]{_TITLE}"),
    ),
    (
        re.compile(r"[A-Za-z]\("),
        re.compile(r"(?<![A-Za-z])(?P<key>[A-Z][A-Za-z]{1,6})\((?P<name>[가-힣][가-힣 ]{1,14})\)"),
    ),
)
_CODE_LINE = re.compile(
    r"[ \t]*(?:[-*•·○●▪■◦|][ \t]*)?`?(?P<key>[A-Z]{1,4}[-_]?\d{1,4})`?[ \t]*[:=|–—-]?[ \t]*"
    r"(?P<name>[가-힣][가-힣A-Za-z ]{0,18}[가-힣])[ \t]*(?=$|[–—:,.(|-])"
)
_DENIED = re.compile(r"[*_`'\"]*(?:이|가)?[ ]?(?:아니|아닌|아닙)")
_FEWEST = 2
_FEWEST_CELLS = 2


@dataclass(frozen=True, slots=True)
class Bound:
    """A name and what it is bound to.

    Attributes:
        name: As it stands.
        key: The words of what it is for.
        quote: The line, verbatim.
    """

    name: str
    key: Label
    quote: str


@dataclass(frozen=True, slots=True)
class Misbound:
    """A name of an answer in the place of another of a source; positions are the answer's own."""

    start: int
    end: int
    meant: Bound
    source_id: str


def misbound_names(reading: Reading) -> Iterator[Misbound]:
    """Yield the names that an answer gives for what the sources bind to another.

    Only where neither answer nor question speaks of what the given name is for, and the answer
    leaves out the one name that is bound to what they do speak of.
    """
    groups = reading.source_set.once(bound_names)
    if not groups:
        return
    raw = reading.answer_text.raw
    said = said_in(f"{raw}\n{reading.question.text.raw}")
    for part, group in groups:
        named = [one for one in group if _is_said(one, said)]
        meant = {one.name: one for one in named if dense(one.name) not in reading.answer_text.dense}
        if len(meant) != 1 or len({one.name for one in named}) != 1:
            continue
        for name in dict.fromkeys(one.name for one in group if one.name not in meant):
            at = raw.find(name)
            if at < 0 or name in reading.question.text.raw or _touches(raw, at, name):
                continue
            if not any(_is_hinted(one, said) for one in group if one.name == name):
                source_id = part.source.id if part.source else ""
                yield Misbound(at, at + len(name), next(iter(meant.values())), source_id)


def _touches(raw: str, at: int, name: str) -> bool:
    """Tell whether a name only ends a longer word there, or is denied."""
    before = raw[at - 1 : at]
    return "가" <= before <= "힣" or _DENIED.match(raw, at + len(name)) is not None


def _is_said(one: Bound, said: frozenset[str]) -> bool:
    return all(word & said for word in one.key)


def _is_hinted(one: Bound, said: frozenset[str]) -> bool:
    return any(word & said for word in one.key)


def bound_names(sources: SourceSet) -> list[tuple[Part, list[Bound]]]:
    """Return the bindings of each source; names of one group can be confused with one another."""
    return [(part, group) for part in sources.parts for group in part.text.once(_groups)]


def _groups(text: Text) -> list[list[Bound]]:
    """Return the bindings of a source; names of one group can be confused with one another."""
    lines = text.raw.split("\n")
    groups = [*_tables(lines), [*_codes(lines)]]
    listed = [(needed, pattern) for needed, pattern in LISTED if needed.search(text.raw)]
    for line in lines if listed else ():
        groups += [
            [*_bound_in_list(pattern, line)] for needed, pattern in listed if needed.search(line)
        ]
    return [group for group in groups if len({one.name for one in group}) >= _FEWEST]


def _bound_in_list(pattern: re.Pattern[str], line: str) -> Iterator[Bound]:
    for found in pattern.finditer(line):
        key = label_of(found["key"])
        if key:
            yield Bound(found["name"], key, line.strip())


def _codes(lines: list[str]) -> Iterator[Bound]:
    for line in lines:
        found = _CODE_LINE.match(line)
        if found:
            yield Bound(found["name"], label_of(found["key"]), line.strip())


def _tables(lines: list[str]) -> Iterator[list[Bound]]:
    """Yield for each column of names in a table the names with the first cells of their rows."""
    columns: dict[int, list[Bound]] = {}
    is_inside = False
    for line in (*lines, ""):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < _FEWEST_CELLS:
            yield from columns.values()
            columns, is_inside = {}, False
        elif not is_inside:
            heads = enumerate(cells[1:], start=1)
            columns = {at: [] for at, cell in heads if cell and _ROLE.fullmatch(cell)}
            is_inside = True
        else:
            for at, column in columns.items():
                key = label_of(cells[0])
                if at < len(cells) and key and _CELL.fullmatch(cells[at]):
                    column.append(Bound(cells[at], key, line.strip()))
