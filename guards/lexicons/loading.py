"""The word lists of this folder: text files, one entry per line, comments after ``#``.

Plain texts that a regular expression needs show whether it can match: searching for one takes a
hundredth of the time of the pattern.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the entries of ``<name>.txt``, in order."""
    text = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    entries = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(entry for entry in entries if entry)


@cache
def words(name: str) -> frozenset[str]:
    """Return the words of ``<name>.txt``, several of which may stand on a line."""
    return frozenset(word for line in lines(name) for word in line.split())


@cache
def groups(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the lines of ``<name>.txt``, each as its words."""
    return tuple(tuple(line.split()) for line in lines(name))


@cache
def sections(name: str) -> dict[str, tuple[str, ...]]:
    """Return the entries of ``<name>.txt`` below each heading ``[heading]``."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in lines(name):
        if line.startswith("[") and line.endswith("]"):
            heading = line[1:-1]
        else:
            found.setdefault(heading, []).append(line)
    return {key: tuple(entries) for key, entries in found.items()}


@cache
def section_words(name: str, *headings: str) -> frozenset[str]:
    """Return the words below some headings of ``<name>.txt``, several of which may share a line."""
    entries = (line for heading in headings for line in sections(name)[heading])
    return frozenset(word for line in entries for word in line.split())


_ATOM = re.compile(
    r"\(\?<?[=!](?:[^()]|\([^()]*\))*\)"
    r"|\(\?:(?P<group>(?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)(?P<may_lack>[?*]|\{0[^}]*\})?"
    r"|(?P<char>[\w/ ])(?P<repeated>[?*+]|\{[^}]*\})?"
    r"|\[[^\]]*\]|\\.|\{[^}]*\}|(?P<other>.)"
)
_PLAIN_GROUP = re.compile(r"[\w/ |]+")
_KOREAN = re.compile(r"[ㄱ-ㅣ가-힣]")
_NOTHING = ("",)


class Candidates:
    """Preselection of the patterns that can match a text.

    Args:
        patterns: Regular expressions.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        by_text: defaultdict[str, list[int]] = defaultdict(list)
        for number, pattern in enumerate(patterns):
            for text in needed_by(pattern):
                by_text[text].append(number)
        # A needed text is searched for only where its rarest character occurs.
        common = Counter(char for text in by_text for char in set(text))
        self._by_char: defaultdict[str, list[tuple[str, list[int]]]] = defaultdict(list)
        for text, numbers in by_text.items():
            char = min(text, key=lambda one: (common[one], one), default="")
            self._by_char[char].append((text, numbers))

    def of(self, text: str) -> Sequence[int]:
        """Return the numbers of the patterns that may match a text, in order."""
        by_char = self._by_char
        found = [
            numbers
            for char in (*by_char.keys() & set(text), "")
            for needed, numbers in by_char.get(char, ())
            if needed in text
        ]
        return sorted({number for numbers in found for number in numbers}) if found else ()


def needed_by(pattern: str) -> Sequence[str]:
    """Return texts of which every match of a pattern contains one; an empty text if unknown."""
    needed: list[str] = []
    runs: list[list[str]] = [[""]]
    for atom in _ATOM.finditer(pattern):
        char, group, other = atom["char"], atom["group"], atom["other"]
        if other in {"(", ")"}:
            # Groups too deep for the pattern above.
            return _NOTHING
        if char and not atom["repeated"]:
            runs[-1] = [text + char for text in runs[-1]]
        elif group and not atom["may_lack"]:
            is_plain = _PLAIN_GROUP.fullmatch(group) is not None
            # The next part follows the alternatives directly only if the group is plain.
            runs += [group.split("|")] if is_plain else [[*needed_by(group)], [""]]
        elif other == "|":
            needed += _rarest(runs)
            runs = [[""]]
        else:
            runs.append([""])
    needed += _rarest(runs)
    return _NOTHING if "" in needed else needed


def _rarest(runs: Iterable[Sequence[str]]) -> Sequence[str]:
    """Return the alternatives with the longest words, the fewest of those."""
    shortest = (
        [one for one in texts if not any(other in one for other in texts if other != one)]
        for texts in runs
    )
    return max(shortest, key=lambda texts: (min(map(_letters, texts)), -len(texts)))


def _letters(text: str) -> int:
    return len(_KOREAN.findall(text))
