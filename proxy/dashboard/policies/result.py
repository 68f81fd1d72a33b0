"""What came of a draft, as the page shows it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from policies.schema.errors import Problem
from policies.schema.loader import LoadedPolicy
from proxy.dashboard.policies.drafting import Checked
from proxy.dashboard.policies.preview import Moves, Preview
from proxy.dashboard.policies.settings import Apart
from proxy.dashboard.policies.sight import without_folders

_AROUND_LINES = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a draft.

    Attributes:
        number: From 1.
        text: The line.
        said: What there is to say about it, each with the key that it is about.
        follows_gap: Lines before it are left out.
    """

    number: int
    text: str
    said: Sequence[tuple[str, str]]
    follows_gap: bool


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Something to say that is about no line of the draft."""

    place: str
    key: str
    said: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a draft.

    Attributes:
        checked: The draft as it was read; None if it could not be.
        in_force: The policy of this name that is in force; None if there is none.
        changes: Where the draft differs from it.
        lines: Lines that there is something to say about, with those around them.
        elsewhere: What is about no line.
        preview: The draft tried on one request.
        moves: The draft tried on many.
        is_too_long: It is longer than what is read here.
        took_too_long: Reading or trying it took too long.
        is_crowded: Others are read or tried, and several wait already.
        no_trace: There was no such request, or none at all.
    """

    checked: Checked | None = None
    in_force: LoadedPolicy | None = None
    changes: Sequence[Apart] = ()
    lines: Sequence[Line] = ()
    elsewhere: Sequence[Elsewhere] = ()
    preview: Preview | None = None
    moves: Moves | None = None
    is_too_long: bool = False
    took_too_long: bool = False
    is_crowded: bool = False
    no_trace: bool = False

    @property
    def draft(self) -> LoadedPolicy | None:
        """The policy that the draft stands for; None if it cannot be used."""
        return self.checked.loaded if self.checked else None


def problems_in(checked: Checked) -> tuple[Problem, ...]:
    """Return what is wrong with a draft, or what is odd about one that can be used."""
    return checked.loaded.warnings if checked.loaded else checked.problems


def lines_of(text: str, problems: Iterable[Problem], file: str) -> list[Line]:
    """Return the lines of a draft that problems are about, each with those around it.

    Args:
        text: The draft.
        problems: What there is to say.
        file: What problems call the draft.
    """
    lines = text.split("\n")
    said: dict[int, list[tuple[str, str]]] = {}
    for problem in problems:
        if problem.place.file == file and 1 <= problem.place.line <= len(lines):
            told = (problem.key, without_folders(problem.message))
            said.setdefault(problem.place.line, []).append(told)
    wanted = {
        near
        for number in said
        for near in range(number - _AROUND_LINES, number + _AROUND_LINES + 1)
        if 1 <= near <= len(lines)
    }
    return [
        Line(number, lines[number - 1], said.get(number, ()), number - 1 not in wanted)
        for number in sorted(wanted)
    ]


def elsewhere_of(text: str, problems: Iterable[Problem], file: str) -> list[Elsewhere]:
    """Return what there is to say that is about no line of a draft."""
    last = text.count("\n") + 1
    return [
        Elsewhere(_place(problem), problem.key, without_folders(problem.message))
        for problem in problems
        if problem.place.file != file or not 1 <= problem.place.line <= last
    ]


def _place(problem: Problem) -> str:
    name, line = PurePath(problem.place.file).name, problem.place.line
    return f"{name}:{line}" if line else name
