"""Effective values of a policy, and what tells two policies apart, as the pages show them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from policies.explaining import Difference, Setting, differences, is_shipped
from policies.schema.contrast import contrast, pieces
from policies.schema.document import Plain
from policies.schema.loader import LoadedPolicy
from proxy.dashboard.policies.sight import Sight

_LONGEST_LINE_CHARS = 90
_MOST_PIECES = 40


@dataclass(frozen=True, slots=True)
class Row:
    """One effective value.

    Attributes:
        name: The key.
        line: The value, or its beginning.
        whole: The items of a value that the line does not hold; empty if it does.
        place: File and line; empty for a default, or for what may not be known.
        is_default: No file sets it.
        is_shipped: A file that came with the program sets it.
        hides_place: It is inherited from somewhere that may not be known.
    """

    name: str
    line: str
    whole: Sequence[str]
    place: str
    is_default: bool
    is_shipped: bool
    hides_place: bool


@dataclass(frozen=True, slots=True)
class Section:
    """The settings of one section of a policy."""

    name: str
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Side:
    """What one of two policies has at a key.

    Attributes:
        parts: The value, or what of it the other one does not have.
        more: How many further parts there are.
        place: File and line; empty for a default, or for what may not be known.
        is_default: No file sets it.
        is_part: They are not the whole of it.
    """

    parts: Sequence[str]
    more: int
    place: str
    is_default: bool
    is_part: bool


@dataclass(frozen=True, slots=True)
class Apart:
    """A key at which two policies differ; None where one has nothing at it."""

    name: str
    first: Side | None
    second: Side | None


def sections(settings: Iterable[Setting], sight: Sight) -> list[Section]:
    """Return settings by the section that they stand in."""
    open_ones = sight.settings(settings)
    return [
        Section(name, [_row(one, sight) for one in group])
        for name, group in groupby(open_ones, key=lambda one: one.key[0])
    ]


def apart(first: LoadedPolicy, second: LoadedPolicy, sight: Sight) -> list[Apart]:
    """Return where two policies differ; defaults of what one of them does not have are no news."""
    return [
        _apart(one, sight)
        for one in differences(first, second)
        if _is_open(one, sight) and _is_news(one)
    ]


def _row(setting: Setting, sight: Sight) -> Row:
    whole = pieces(setting.value)
    line = _on_one_line(setting.value)
    is_long = len(line) > _LONGEST_LINE_CHARS or "\n" in line
    place = sight.place(setting.place)
    return Row(
        name=setting.name,
        line=f"{' '.join(line.split())[:_LONGEST_LINE_CHARS]}…" if is_long else line,
        whole=whole if is_long else (),
        place=place,
        is_default=setting.place is None,
        is_shipped=setting.place is not None and is_shipped(setting.place),
        hides_place=setting.place is not None and not place,
    )


def _apart(difference: Difference, sight: Sight) -> Apart:
    first, second = difference.first, difference.second
    if first is None or second is None:
        return Apart(difference.name, _whole(first, sight), _whole(second, sight))
    told = contrast(first.value, second.value)
    return Apart(
        difference.name,
        _side(first, told.removed, sight),
        _side(second, told.added, sight),
    )


def _whole(setting: Setting | None, sight: Sight) -> Side | None:
    return None if setting is None else _side(setting, pieces(setting.value), sight)


def _side(setting: Setting, parts: Sequence[str], sight: Sight) -> Side:
    return Side(
        parts=parts[:_MOST_PIECES],
        more=max(0, len(parts) - _MOST_PIECES),
        place=sight.place(setting.place),
        is_default=setting.place is None,
        is_part=list(parts) != pieces(setting.value),
    )


def _is_open(difference: Difference, sight: Sight) -> bool:
    sides = _sides(difference)
    return len(sight.settings(sides)) == len(sides)


def _is_news(difference: Difference) -> bool:
    """Tell whether both policies have the key, or a file of one sets it."""
    sides = _sides(difference)
    return len(sides) == 2 or sides[0].place is not None


def _sides(difference: Difference) -> list[Setting]:
    return [side for side in (difference.first, difference.second) if side is not None]


def _on_one_line(value: Plain) -> str:
    return ", ".join(pieces(value)) if isinstance(value, list) else pieces(value)[0]
