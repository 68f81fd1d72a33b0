"""Settings and differences of policies as tables, for people at a terminal."""

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from policies.explaining import Difference, Setting, is_shipped
from policies.schema.contrast import contrast, in_words, pieces
from policies.schema.document import Plain
from policies.schema.errors import Place
from policies.schema.loader import LoadedPolicy
from proxy.cli.output import excerpt, harmless

_VALUE_COLUMNS = 60
_SHORT_COLUMNS = 24
_PIECE_CHARS = 300
_MOST_PIECES = 10


def heading(loaded: LoadedPolicy) -> str:
    """Return what tells a policy from others."""
    tenant = f"tenant {loaded.policy.tenant}" if loaded.policy.tenant else "no tenant"
    return f"{loaded.name}  ({tenant}, version {loaded.version}, {loaded.path})"


def settings_table(settings: Sequence[Setting]) -> Table:
    """Return one row for each setting; long values are cut."""
    table = Table()
    table.add_column("key", overflow="fold")
    table.add_column("value", overflow="fold")
    table.add_column("from", no_wrap=True)
    for setting in settings:
        told = (_name(setting.name), _cut(setting.value), _origin(setting.place))
        table.add_row(*map(Text, told), style="dim" if setting.place is None else "")
    return table


def whole_setting(setting: Setting) -> Iterator[Text]:
    """Yield the lines of one setting, nothing of its value left out."""
    yield Text(f"{_name(setting.name)}  ({_origin(setting.place)})", "bold")
    for piece in pieces(setting.value):
        yield Text(harmless(piece))


def differences_table(found: Sequence[Difference]) -> Table:
    """Return one row for each difference; of long values only what differs."""
    table = Table()
    table.add_column("key", overflow="fold")
    table.add_column("A", overflow="fold", ratio=1)
    table.add_column("B", overflow="fold", ratio=1)
    for difference in found:
        sides = _sides(difference)
        long = any("\n" in side.plain for side in sides)
        if long:
            table.add_section()
        table.add_row(Text(_name(difference.name)), *sides, end_section=long)
    return table


def _sides(difference: Difference) -> tuple[Text, Text]:
    first, second = difference.first, difference.second
    if first is None or second is None or (_is_short(first) and _is_short(second)):
        return _side(first), _side(second)
    apart = contrast(first.value, second.value)
    return (
        _parts(first, [f"- {piece}" for piece in apart.removed]),
        _parts(second, [f"+ {piece}" for piece in apart.added]),
    )


def _side(setting: Setting | None) -> Text:
    if setting is None:
        return Text("–", "dim")
    value = _cut(setting.value)
    between = "  " if cell_len(value) <= _SHORT_COLUMNS else "\n"
    return Text.assemble(value, between, (f"({_origin(setting.place)})", "dim"))


def _parts(setting: Setting, parts: Sequence[str]) -> Text:
    if not parts and _is_short(setting):
        return _side(setting)
    lines = [excerpt(part, _PIECE_CHARS) for part in parts[:_MOST_PIECES]]
    if len(parts) > len(lines):
        lines.append(f"… {len(parts) - len(lines)} more")
    origin = (f"({_origin(setting.place)})", "dim")
    return Text.assemble(*(f"{line}\n" for line in lines), origin)


def _is_short(setting: Setting) -> bool:
    return cell_len(_on_one_line(setting.value)) <= _VALUE_COLUMNS


def _cut(value: Plain) -> str:
    """Return a value on one line; a list that is cut says how long it is."""
    line = _on_one_line(value)
    if isinstance(value, list) and cell_len(line) > _VALUE_COLUMNS:
        line = f"{len(value)}: {', '.join(pieces(value))}"
    text = Text(excerpt(line, _PIECE_CHARS))
    text.truncate(_VALUE_COLUMNS, overflow="ellipsis")
    return text.plain


def _on_one_line(value: Plain) -> str:
    return f"[{', '.join(pieces(value))}]" if isinstance(value, list) else in_words(value)


def _name(name: str) -> str:
    """Return a key that may hold anything that a policy file can."""
    return excerpt(name, _PIECE_CHARS)


def _origin(place: Place | None) -> str:
    """Return the place of a value; its folder is the policy's own, or where the program is."""
    if place is None:
        return "default"
    line = f"{PurePath(place.file).name}:{place.line}"
    return f"shipped {line}" if is_shipped(place) else line
