"""The number of things that an answer names: 네 가지 beside a list of four."""

import re

from guards.claims.reader import Reading
from guards.evidence.figures import Figure
from guards.text.slots.units import Dimension

_COUNTED = frozenset({"종", "곳", "개", "건", "대", Dimension.PEOPLE, Dimension.BARE, "권", "병"})
_MOST = 30
_ITEM = re.compile(r"[ \t]*(?:[-*•·▪◦○●■◆▶✔✅]|\d{1,2}[.)]|[①-⑳❶-❿]|\d️?⃣|#{1,6} |[가-하][.)])[ \t]*")
_ORDINALS = ("첫째", "둘째", "셋째", "넷째", "다섯째", "여섯째")
_BETWEEN = re.compile(r",(?!\d)|·|/|와 |과 |및 |이랑 |하고 ")


def counted_items(answer: Reading, figure: Figure) -> bool:
    """Tell whether a figure is the number of things that the answer lists or names."""
    value = figure.measure.values[0]
    if figure.measure.dimension not in _COUNTED or value.denominator > 1 or not 1 < value <= _MOST:
        return False
    number = int(value)
    plain = answer.page.plain
    return (
        number in _list_sizes(plain, figure.end)
        or _ordinals(plain[figure.end :]) == number
        or _named_before(answer, figure) == number
        or number in _table_sizes(answer, figure)
    )


def _list_sizes(plain: str, start: int) -> set[int]:
    """Return how many items of each depth follow."""
    sizes: dict[str, int] = {}
    for line in plain[start:].split("\n")[1:]:
        item = _ITEM.match(line)
        if item:
            indent = line[: len(line) - len(line.lstrip())]
            kind = "#" if line.lstrip().startswith("#") else indent
            sizes[kind] = sizes.get(kind, 0) + 1
    return set(sizes.values())


def _ordinals(text: str) -> int:
    count = 0
    for word in _ORDINALS:
        if word not in text:
            break
        count += 1
    return count


def _named_before(answer: Reading, figure: Figure) -> int:
    """Return how many things the sentence names before: 앱, 홈페이지, 우편, 방문 네 가지."""
    sentence = answer.sentences[figure.claim.sentence]
    before = answer.page.plain[sentence[0].start : figure.start]
    return len(_BETWEEN.findall(before)) + 1


def _table_sizes(answer: Reading, figure: Figure) -> set[int]:
    sizes: dict[int, set[int]] = {}
    for block in answer.page.blocks:
        if block.is_cell and block.start > figure.start:
            sizes.setdefault(block.table, set()).add(block.line)
    return {len(lines) - 1 for lines in sizes.values()}
