"""Tables with a column of passages: ``| 제목 | 내용 |`` in Markdown, or columns parted by tabs."""

import re

from proxy.openai_api.sources.fields import field_kind, with_value
from proxy.openai_api.sources.found import Passage

_RULER = re.compile(r"[\s|:\-]+")
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")


def table_passages(text: str) -> tuple[Passage, ...]:
    """Return one passage for each row; none if the text is no table with a column of passages."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        return ()
    separator = "|" if lines[0].lstrip().startswith("|") else "\t"
    kinds = [field_kind(cell.strip("* ")) for cell in _cells(lines[0], separator)]
    if "text" not in kinds:
        return ()
    rows = [_cells(line, separator) for line in lines[1:] if not _RULER.fullmatch(line)]
    if not rows or any(len(row) != len(kinds) for row in rows):
        return ()
    return tuple(_passage(kinds, row) for row in rows)


def _cells(line: str, separator: str) -> list[str]:
    if separator == "\t":
        return [cell.strip() for cell in line.split("\t")]
    bare = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _UNESCAPED_BAR.split(bare)]


def _passage(kinds: list[str], row: list[str]) -> Passage:
    passage = Passage("")
    for kind, cell in zip(kinds, row, strict=True):
        passage = with_value(passage, kind, cell)
    return passage
