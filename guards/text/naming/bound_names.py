"""Names that a source binds to what they are for, in a table, a list or a line of codes.

``| 도예 | 나은별 |`` binds a teacher to a course, ``심사1팀(신규), 심사2팀(연장)`` teams to their
matters, ``E2 배수 불량`` a meaning to a code. Only what is bound in one line or row counts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from guards.core.reading import Part, Reading, SourceSet, Text
from guards.text.names.name import dense
from guards.text.naming.namings import Label, label_of, said_in

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
    if reading.answer is None:
        return
    groups = reading.source_set.once(bound_names)
    if not groups:
        return
    raw = reading.answer.text.raw
    said = said_in(f"{raw}\n{reading.question.text.raw}")
    for part, group in groups:
        named = [one for one in group if _is_said(one, said)]
        meant = {one.name: one for one in named if dense(one.name) not in reading.answer.text.dense}
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
    """Return the names that each source binds; those of one group may be taken for one another."""
    return [(part, group) for part in sources.parts for group in part.text.once(_groups)]


def _groups(text: Text) -> list[list[Bound]]:
    """Return what a source binds; names of one group may be taken for one another."""
    lines = text.raw.split("\n")
    groups = [*_tables(lines), [*_codes(lines)]]
    listed = [(needed, pattern) for needed, pattern in LISTED if needed.search(text.raw)]
    for line in lines if listed else ():
        groups += [[*_listed(pattern, line)] for needed, pattern in listed if needed.search(line)]
    return [group for group in groups if len({one.name for one in group}) >= _FEWEST]


def _listed(pattern: re.Pattern[str], line: str) -> Iterator[Bound]:
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
