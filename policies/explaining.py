"""Effective values of a policy, each with the file and line that sets it.

A setting is a leaf of the policy: a plain value, a list, or a map with nothing in it, since maps
are merged key by key and the rest is replaced whole. A guard that a policy does not name is
explained as one that is off, with the rest as it is by default. `contrast` tells two values apart:
what only the one says, and what only the other.
"""

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from guards.core.registry import all_guards
from policies.schema.base import Mode, Place
from policies.schema.document import Plain, suggestion, typed_policy
from policies.schema.inheritance import NEVER_INHERITED, shipped_files
from policies.schema.keys import shown_hash
from policies.schema.loader import LoadedPolicy, load_shipped
from policies.schema.policy import Policy

SettingKey = tuple[str, ...]


class NotThere(LookupError):
    """A name that stands for nothing here; its text says so, and what was probably meant."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One effective value.

    Attributes:
        key: Names of keys, from the outermost.
        value: The value as the policy is applied; of `keys` only the beginning of each hash.
        place: Where it was set; None for a default that no file sets.
    """

    key: SettingKey
    value: Plain
    place: Place | None

    @property
    def name(self) -> str:
        """The key as people type it."""
        return ".".join(self.key)


@dataclass(frozen=True, slots=True)
class Difference:
    """A key at which two policies are not the same; None where one has nothing at it.

    Attributes:
        key: Names of keys, from the outermost; ``("guards",)`` for the order of the guards, of
            which the first that replaces an answer chooses the template.
    """

    key: SettingKey
    first: Setting | None
    second: Setting | None

    @property
    def name(self) -> str:
        """The key as people type it."""
        return ".".join(self.key)


def policy_called(name: str, own: Mapping[str, LoadedPolicy]) -> LoadedPolicy:
    """Return the policy of a tenant, else the one of this name, else a shipped one.

    Raises:
        NotThere: it is none of these.
    """
    tenants = {each.policy.tenant: each for each in own.values() if each.policy.tenant}
    for known in (tenants, own):
        if name in known:
            return known[name]
    if name in shipped_files():
        return load_shipped(name)
    hint = suggestion(name, {*tenants, *own, *shipped_files()})
    raise NotThere(f"there is no tenant and no policy {name!r}; {hint}")


def explained(loaded: LoadedPolicy) -> tuple[Setting, ...]:
    """Return every setting of a policy, in the order of its sections and of its guards."""
    return tuple(
        Setting(key, value, loaded.entry.place_of(key))
        for key, value in _leaves(_effective(loaded.policy), ())
    )


def under(settings: Sequence[Setting], name: str) -> tuple[Setting, ...]:
    """Return the settings at a key and below it.

    Args:
        settings: Those of a policy.
        name: Such as ``guards.numbers`` or ``templates.complaint.abuse``; names in brackets and
            quotes, as messages about policies write them, do as well.

    Raises:
        NotThere: nothing stands there.
    """
    wanted = re.sub(r"""\[['"]?|['"]?\]""", ".", name).strip(".")
    found = tuple(each for each in settings if f"{each.name}.".startswith(f"{wanted}."))
    if found:
        return found
    branches = {".".join(branch) for each in settings for branch in _branches(each.key)}
    outermost = {each.key[0] for each in settings}
    hint = suggestion(wanted, difflib.get_close_matches(wanted, branches, n=1) or outermost)
    raise NotThere(f"there is no key {name!r}; {hint}")


def changed(settings: Sequence[Setting]) -> tuple[Setting, ...]:
    """Return the settings that a file set to something else than the shipped `default` has."""
    usual = {each.key: each for each in explained(load_shipped("default"))}
    return tuple(
        each
        for each in settings
        if each.place is not None and (each.key not in usual or each.value != usual[each.key].value)
    )


def differences(first: LoadedPolicy, second: LoadedPolicy) -> tuple[Difference, ...]:
    """Return where two policies are not the same, in the order of `explained`.

    Whom they serve and what they extend is left aside: without differences they judge alike.
    """
    ours, theirs = _by_key(first), _by_key(second)
    pairs = ((key, ours.get(key), theirs.get(key)) for key in _in_tree_order([*ours, *theirs]))
    found = (Difference(key, a, b) for key, a, b in pairs if _value(a) != _value(b))
    return (*_order_of_guards(first, second), *found)


def is_shipped(place: Place) -> bool:
    """Tell whether a place is in a file that came with the program."""
    return place.file in map(str, shipped_files().values())


def _effective(policy: Policy) -> dict[str, Plain]:
    """Return the whole policy with every guard that exists, those that it names first."""
    values = policy.model_dump(mode="json")
    unnamed = sorted(all_guards().keys() - policy.guards.keys())
    values["guards"] |= {guard: {"mode": Mode.OFF.value} for guard in unnamed}
    whole = typed_policy().model_validate_json(json.dumps(values), strict=True)
    effective = whole.model_dump(mode="json")
    effective["guards"] = {guard: effective["guards"][guard] for guard in values["guards"]}
    effective["keys"] = [shown_hash(hashed) for hashed in policy.keys]
    return effective


def _leaves(value: Plain, key: SettingKey) -> Iterator[tuple[SettingKey, Plain]]:
    if isinstance(value, dict) and value:
        for name, below in value.items():
            yield from _leaves(below, (*key, name))
    else:
        yield key, value


def _by_key(loaded: LoadedPolicy) -> dict[SettingKey, Setting]:
    return {each.key: each for each in explained(loaded) if each.key[0] not in NEVER_INHERITED}


def _value(setting: Setting | None) -> Plain:
    """Return what stands at a key; a map with nothing in it is as good as none."""
    return None if setting is None or setting.value == {} else setting.value


def _in_tree_order(keys: Sequence[SettingKey]) -> list[SettingKey]:
    """Return keys once each, with all that stands below a key together, as it first came."""
    first_seen: dict[SettingKey, int] = {}
    for position, key in enumerate(keys):
        for branch in _branches(key):
            first_seen.setdefault(branch, position)
    return sorted(set(keys), key=lambda key: [first_seen[branch] for branch in _branches(key)])


def _branches(key: SettingKey) -> list[SettingKey]:
    """Return the ways to a key, from the outermost to itself."""
    return [key[:steps] for steps in range(1, len(key) + 1)]


def _order_of_guards(first: LoadedPolicy, second: LoadedPolicy) -> tuple[Difference, ...]:
    """Return a difference if guards that run in both policies stand in another order."""
    runs = [
        [guard for guard, rule in each.policy.guards.items() if rule.mode is not Mode.OFF]
        for each in (first, second)
    ]
    ours, theirs = (
        [guard for guard in guards if guard in runs[0] and guard in runs[1]] for guards in runs
    )
    if ours == theirs:
        return ()
    key = ("guards",)
    return (
        Difference(
            key,
            Setting(key, [*ours], first.entry.place_of(key)),
            Setting(key, [*theirs], second.entry.place_of(key)),
        ),
    )


_WORD = re.compile(r"\s*\S+|\s+$")
_LEAST_ALIKE = 0.5
"""Two texts of which the shorter shares less of its words are not one that was edited."""
_MOST_PIECES = 2_000
"""Beyond these, comparing piece by piece would take too long."""


_Run = Sequence[str]


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference between two values."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


def contrast(first: Plain, second: Plain) -> Contrast:
    """Compare two lists by their items, two texts by their words, all else as a whole."""
    if first == second:
        return Contrast((), ())
    if isinstance(first, str) and isinstance(second, str):
        found = _between_texts(first, second)
    elif isinstance(first, list) and isinstance(second, list):
        found = _between_lists(first, second)
    else:
        found = None
    return found or Contrast(tuple(pieces(first)), tuple(pieces(second)))


def pieces(value: Plain) -> list[str]:
    """Return a value as texts, one for each item of a list.

    An item that is a map is represented by its plain values, and again for each item of its own
    lists: ``stay: 객실|침대``, ``stay: 요금|할인``.
    """
    if not isinstance(value, list):
        return [in_words(value)]
    return [piece for item in value for piece in _pieces_of_item(item)]


def in_words(value: Plain) -> str:
    """Return a value as a policy file would have it; a text as it is."""
    return value if isinstance(value, str) and value else _exactly(value)


def _exactly(value: Plain) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pieces_of_item(item: Plain) -> list[str]:
    if not isinstance(item, dict):
        return [in_words(item)]
    head = ", ".join(in_words(value) for value in item.values() if not isinstance(value, list))
    lists = [value for value in item.values() if isinstance(value, list)]
    return [f"{head}: {in_words(each)}" for value in lists for each in value] or [head]


def _between_lists(first: list[Plain], second: list[Plain]) -> Contrast | None:
    runs = _runs(pieces(first), pieces(second), least_alike=0.0)
    if runs is None:
        return None
    if not runs:  # the same pieces, cut into items elsewhere
        return Contrast((_exactly(first),), (_exactly(second),))
    removed = tuple(piece for run, _ in runs for piece in run)
    return Contrast(removed, tuple(piece for _, run in runs for piece in run))


def _between_texts(first: str, second: str) -> Contrast | None:
    runs = _runs(_WORD.findall(first), _WORD.findall(second), least_alike=_LEAST_ALIKE)
    if runs is None:
        return None
    pairs = [_without_shared_space("".join(gone), "".join(new)) for gone, new in runs]
    removed = tuple(gone for gone, _ in pairs if gone)
    return Contrast(removed, tuple(new for _, new in pairs if new))


def _without_shared_space(gone: str, new: str) -> tuple[str, str]:
    """Return two runs without the space around them, unless they differ in nothing else."""
    if gone.split() != new.split():
        return gone.strip(), new.strip()
    return gone and _exactly(gone), new and _exactly(new)


def _runs(first: _Run, second: _Run, *, least_alike: float) -> list[tuple[_Run, _Run]] | None:
    """Return the runs that differ; None if the two have too little in common, or are too long."""
    if max(len(first), len(second)) > _MOST_PIECES:
        return None
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if shared < least_alike * min(len(first), len(second)):
        return None
    return [
        (first[from_a:to_a], second[from_b:to_b])
        for tag, from_a, to_a, from_b, to_b in matcher.get_opcodes()
        if tag != "equal"
    ]
