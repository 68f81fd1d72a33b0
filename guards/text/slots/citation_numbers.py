"""The numbers of a citation mark, as they are read and written: ``1, 3-5``, ``1,†2``, ``²³``."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
LABEL = (
    r"(?:출처|참조|참고|근거|인용|문서|자료"
    r"|[Ss]ources?|[Dd]oc(?:ument)?s?|[Rr]ef(?:erence)?s?|[Cc]it(?:e|ation)s?)"
)
NUMBERS = rf"\d{{1,3}}(?:\s?[,、;~–-]\s?(?:{LABEL}\s?)?†?\d{{1,3}}){{0,9}}"
RAISED = rf"[{SUPERSCRIPTS}]{{1,9}}(?:[,˒·⁻–-][{SUPERSCRIPTS}]{{1,3}}){{0,9}}"

_LOWERED = str.maketrans(SUPERSCRIPTS, "0123456789")
_LIFTED = str.maketrans("0123456789", SUPERSCRIPTS)
_SEPARATOR = re.compile(rf"\s?[,、;˒·]\s?(?:{LABEL}\s?)?†?")
_TO = re.compile(r"\s?[~⁻–-]\s?†?")
_MOST_IN_RANGE = 50
_SHORTEST_RANGE = 2
_NUMBERS_KEPT = 1024


# The same few numbers stand in all answers.
@lru_cache(maxsize=_NUMBERS_KEPT)
def read_numbers(written: str) -> tuple[int, ...]:
    """Return the numbers of ``1, 3-5``, each once."""
    numbers: list[int] = []
    for piece in _SEPARATOR.split(written):
        first, *rest = (int(number) for number in re.findall(r"\d+", piece))
        last = rest[-1] if rest else first
        numbers.extend(range(first, min(last, first + _MOST_IN_RANGE) + 1) or (first, last))
    return tuple(dict.fromkeys(numbers))


def read_raised(written: str, *, past_nine: bool) -> tuple[int, ...]:
    """Return the numbers of a raised mark.

    Args:
        written: The mark, such as ``²`` or ``²,³``.
        past_nine: The text counts past nine with such marks, so that ``¹²`` is twelve. Else digits
            that rise are numbers of their own: ``²³`` cites 2 and 3.
    """
    digits = lowered(written)
    if digits.isdigit() and not past_nine:
        each = tuple(int(digit) for digit in digits)
        if each[0] and _rises(each):
            return each
    return read_numbers(digits.replace("⁻", "-"))


def lowered(written: str) -> str:
    """Return raised digits as ordinary ones."""
    return written.translate(_LOWERED)


def raised(numbers: Sequence[int], old: str) -> str:
    """Return numbers as a raised mark, apart in the way of the old one."""
    digits = [str(number).translate(_LIFTED) for number in numbers]
    apart = _SEPARATOR.search(old)
    if apart:
        return apart[0].join(digits)
    is_run = all(len(digit) == 1 for digit in digits) and _rises(numbers)
    return ("" if is_run else ",").join(digits)


def joined(numbers: Sequence[int], old: str) -> str:
    """Return numbers as a list in the way of the old one: its separators, ranges if it had any."""
    apart = _SEPARATOR.search(old)
    to = _TO.search(old)
    pieces = (
        f"{run[0]}{to[0]}{run[-1]}" if to and len(run) >= _SHORTEST_RANGE else str(run[0])
        for run in _runs(numbers, together=to is not None)
    )
    return (apart[0] if apart else ", ").join(pieces)


def _runs(numbers: Sequence[int], *, together: bool) -> Iterator[list[int]]:
    """Yield the runs of neighbouring numbers, or each number by itself."""
    if not together:
        yield from ([number] for number in numbers)
        return
    for _, run in groupby(enumerate(numbers), key=lambda placed: placed[1] - placed[0]):
        yield [number for _, number in run]


def _rises(numbers: Sequence[int]) -> bool:
    return all(one < other for one, other in pairwise(numbers))
