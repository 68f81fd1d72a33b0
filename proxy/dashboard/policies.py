"""`/dashboard/policies`: the policies in force, their values, and comparisons.

The admin may see all of them, a tenant its own policy and nothing beside it. A tenant's policy may
inherit from another tenant's file: it sees the values, and not whose file that is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import PurePath

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from policies.explaining import (
    Difference,
    Setting,
    contrast,
    differences,
    explained,
    is_shipped,
    pieces,
)
from policies.schema.base import Mode, Place, Problem
from policies.schema.document import Plain
from policies.schema.inheritance import shipped_files
from policies.schema.loader import LoadedPolicy, load_shipped
from policies.schema.store import PolicyStore
from proxy.dashboard.access import ROOT
from proxy.dashboard.draft_trials import file_of
from proxy.dashboard.page import PageVisit
from proxy.services import Services

_PATH = re.compile(r"[^\s'\"(]*/([^/\s'\"]+\.ya?ml)\b")
_NAMING = frozenset({"extends", "shadow_policy"})


class Visibility:
    """The policies in force, as far as the viewer may see them."""

    def __init__(self, visit: PageVisit, policies: PolicyStore) -> None:
        self._is_admin = visit.is_admin
        self._snapshot = policies.snapshot
        self._policies = {
            name: loaded
            for name, loaded in policies.snapshot.policies.items()
            if visit.is_admin or (loaded.policy.tenant and visit.may_read(loaded.policy.tenant))
        }
        self._others = {
            loaded.name: PurePath(loaded.path).name
            for loaded in policies.snapshot.policies.values()
            if not visit.is_admin and loaded.policy.tenant and loaded.name not in self._policies
        }

    @property
    def policies(self) -> Iterable[LoadedPolicy]:
        """The policies that may be seen: those of tenants first, by name."""
        return sorted(self._policies.values(), key=lambda one: (not one.policy.tenant, one.name))

    @property
    def names(self) -> list[str]:
        """Names of the policies that one may be compared with; shipped ones are no secret."""
        return [*sorted(self._policies), *sorted(shipped_files().keys() - self._policies.keys())]

    def called(self, name: str) -> LoadedPolicy | None:
        """Return a policy in force that may be seen."""
        return self._policies.get(name)

    def name(self, name: str) -> str | None:
        """Return the name of a policy that another one names; None if it may not be known."""
        return None if name in self._others else name

    def place(self, place: Place | None) -> str:
        """Return a place as a file's name and a line; empty for a default or what is hidden."""
        if place is None:
            return ""
        name = PurePath(place.file).name
        if not is_shipped(place) and name in self._others.values():
            return ""
        return f"{name}:{place.line}" if place.line else name

    def settings(self, settings: Iterable[Setting]) -> list[Setting]:
        """Return settings as they may be seen."""
        return [one for one in settings if self._is_admin or self._is_open(one)]

    def problem(self, problem: Problem) -> Problem:
        """Return a problem or a warning without the folders that it names."""
        place = self.place(problem.place)
        return Problem(Place(place), problem.key, without_folders(problem.message))

    def _is_open(self, setting: Setting) -> bool:
        if setting.key[0] == "keys":
            return False
        return setting.key[0] not in _NAMING or self.name(str(setting.value)) is not None


def without_folders(text: str) -> str:
    """Return a text in which policy files are called by their names alone."""
    return _PATH.sub(r"\1", text)


_LONGEST_LINE_CHARS = 90
_MOST_PIECES = 40


@dataclass(frozen=True, slots=True)
class Row:
    """One effective value.

    Attributes:
        line: The value, or its beginning.
        whole: The items of a value that the line does not hold; empty if it does.
        place: File and line; empty for a default, or for what may not be known.
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
    """Value of a key in one of two policies.

    Attributes:
        parts: The value, or what of it the other one does not have.
        more: How many further parts there are.
        place: File and line; empty for a default, or for what may not be known.
        is_part: They are not the whole of it.
    """

    parts: Sequence[str]
    more: int
    place: str
    is_default: bool
    is_part: bool


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A key at which two policies differ; None where one has nothing at it."""

    name: str
    first: Side | None
    second: Side | None


def sections(settings: Iterable[Setting], visibility: Visibility) -> list[Section]:
    """Return settings by the section that they stand in."""
    open_ones = visibility.settings(settings)
    return [
        Section(name, [_row(one, visibility) for one in group])
        for name, group in groupby(open_ones, key=lambda one: one.key[0])
    ]


def differences_between(
    first: LoadedPolicy, second: LoadedPolicy, visibility: Visibility
) -> list[SettingDifference]:
    """Return where two policies differ; defaults of what one of them does not have are no news."""
    return [
        _apart(one, visibility)
        for one in differences(first, second)
        if _is_open(one, visibility) and _is_news(one)
    ]


def _row(setting: Setting, visibility: Visibility) -> Row:
    whole = pieces(setting.value)
    line = _on_one_line(setting.value)
    is_long = len(line) > _LONGEST_LINE_CHARS or "\n" in line
    place = visibility.place(setting.place)
    return Row(
        name=setting.name,
        line=f"{' '.join(line.split())[:_LONGEST_LINE_CHARS]}…" if is_long else line,
        whole=whole if is_long else (),
        place=place,
        is_default=setting.place is None,
        is_shipped=setting.place is not None and is_shipped(setting.place),
        hides_place=setting.place is not None and not place,
    )


def _apart(difference: Difference, visibility: Visibility) -> SettingDifference:
    first, second = difference.first, difference.second
    if first is None or second is None:
        return SettingDifference(
            difference.name, _whole(first, visibility), _whole(second, visibility)
        )
    words = contrast(first.value, second.value)
    return SettingDifference(
        difference.name,
        _side(first, words.removed, visibility),
        _side(second, words.added, visibility),
    )


def _whole(setting: Setting | None, visibility: Visibility) -> Side | None:
    return None if setting is None else _side(setting, pieces(setting.value), visibility)


def _side(setting: Setting, parts: Sequence[str], visibility: Visibility) -> Side:
    return Side(
        parts=parts[:_MOST_PIECES],
        more=max(0, len(parts) - _MOST_PIECES),
        place=visibility.place(setting.place),
        is_default=setting.place is None,
        is_part=list(parts) != pieces(setting.value),
    )


def _is_open(difference: Difference, visibility: Visibility) -> bool:
    sides = _sides(difference)
    return len(visibility.settings(sides)) == len(sides)


def _is_news(difference: Difference) -> bool:
    """Tell whether both policies have the key, or a file of one sets it."""
    sides = _sides(difference)
    return len(sides) == 2 or sides[0].place is not None


def _sides(difference: Difference) -> list[Setting]:
    return [side for side in (difference.first, difference.second) if side is not None]


def _on_one_line(value: Plain) -> str:
    return ", ".join(pieces(value)) if isinstance(value, list) else pieces(value)[0]


@dataclass(frozen=True, slots=True)
class PolicySummary:
    """One policy.

    Attributes:
        since: Since when it is in force as it is.
        chain: What it inherits from, the nearest first; None for what may not be known.
        shadow: The policy that is tried on the same requests; None if there is none.
        hides_shadow: There is one, and it may not be known which.
    """

    loaded: LoadedPolicy
    since: datetime
    chain: tuple[str | None, ...]
    shadow: str | None
    hides_shadow: bool
    warnings: tuple[Problem, ...]
    guards: Mapping[Mode, tuple[str, ...]]

    @classmethod
    def of(
        cls, loaded: LoadedPolicy, policies: PolicyStore, visibility: Visibility
    ) -> "PolicySummary":
        """Return a policy as its viewer may see it."""
        shadow = loaded.policy.shadow_policy
        shadow_name = visibility.name(shadow) if shadow else None
        return cls(
            loaded=loaded,
            since=policies.snapshot.since[loaded.name],
            chain=tuple(visibility.name(name) for name in chain_of(loaded, policies)),
            shadow=shadow_name,
            hides_shadow=shadow is not None and shadow_name is None,
            warnings=tuple(map(visibility.problem, loaded.warnings)),
            guards=_by_mode(loaded),
        )


def chain_of(loaded: LoadedPolicy, policies: PolicyStore) -> list[str]:
    """Return the names of what a policy inherits from, the nearest first."""
    names = []
    current, is_shipped = loaded, False
    while (base := current.policy.extends) is not None:
        own = None if is_shipped or base == current.name else policies.snapshot.policies.get(base)
        is_shipped = own is None
        if own is None and base not in shipped_files():
            break  # a file that was not there yet when this snapshot was taken
        current = own or load_shipped(base)
        names.append(base)
    return names


def _by_mode(loaded: LoadedPolicy) -> Mapping[Mode, tuple[str, ...]]:
    rules = loaded.policy.guards
    return {
        mode: tuple(guard for guard, rule in rules.items() if rule.mode is mode) for mode in Mode
    }


POLICIES = f"{ROOT}/policies"
_USUAL = "default"


@get(POLICIES)
async def show_policies(
    visit: NamedDependency[PageVisit], services: NamedDependency[Services]
) -> Response[str] | Redirect:
    """Draw the policies in force; a link from a trace leads on to a draft of its policy."""
    wanted = await _draft_for(visit, services)
    if wanted is not None:
        return Redirect(wanted, status_code=303)
    store = services.policies
    visibility = Visibility(visit, store)
    return visit.draw(
        "policies/list.html",
        policies=[PolicySummary.of(loaded, store, visibility) for loaded in visibility.policies],
        loaded_at=store.snapshot.loaded_at,
        error=store.last_error,
        problems=_broken(store, visibility) if visit.is_admin else (),
        folder=store.directory if visit.is_admin else None,
    )


@get(f"{POLICIES}/{{name:str}}")
async def show_policy(
    visit: NamedDependency[PageVisit], services: NamedDependency[Services], name: FromPath[str]
) -> Response[str]:
    """Draw the values of a policy, and where it differs from another one."""
    store = services.policies
    visibility = Visibility(visit, store)
    loaded = visibility.called(name)
    if loaded is None:
        raise NotFoundException
    values = sections(explained(loaded), visibility)
    others = [other for other in visibility.names if other != name]
    against = _against(visit, visibility, others)
    return visit.draw(
        "policies/one.html",
        shown=PolicySummary.of(loaded, store, visibility),
        sections=values,
        values=sum(len(section.rows) for section in values),
        names=others,
        against=against,
        differences=differences_between(loaded, against, visibility),
    )


def _broken(policies: PolicyStore, visibility: Visibility) -> list[tuple[Problem, str]]:
    """Return what is wrong with the newest edit, each with the policy whose file it is in.

    For the admin alone: it may name any tenant.
    """
    problems = policies.last_error.problems if policies.last_error else ()
    return [(visibility.problem(one), PurePath(one.place.file).stem) for one in problems]


async def _draft_for(visit: PageVisit, services: Services) -> str | None:
    """Return the address of a draft to try on the trace that the address names."""
    trace_id = visit.query.get("trace")
    if not trace_id or not visit.is_admin:
        return None
    trace = await services.traces.get(trace_id)
    if trace is None:
        return None
    for name in (trace.policy.name, _policy_of(trace.tenant, services)):
        if name and file_of(name, services.policies):
            return visit.page_of(f"{POLICIES}/{name}/draft", trace=trace_id)
    return None


def _policy_of(tenant: str, services: Services) -> str:
    loaded = services.policies.snapshot.tenants.get(tenant)
    return loaded.name if loaded else ""


def _against(visit: PageVisit, visibility: Visibility, names: Sequence[str]) -> LoadedPolicy:
    """Return the policy that the address asks for, else the one that others begin with."""
    asked = visit.query.get("against", _USUAL)
    name = next((name for name in (asked, _USUAL) if name in names), names[0])
    return visibility.called(name) or load_shipped(name)
