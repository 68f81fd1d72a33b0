"""Runs of writing that is not Korean: Han, kana, Cyrillic, other scripts, broken characters, Latin.

One pass with one class of ranges, because texts are nearly always free of such characters and plain
ranges are what `re` scans fastest. What lies in code, addresses and file names is left out.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

# Without U+3007 (〇) and U+30FB (・): Korean texts use them as a blank and as a middle dot.
_HAN = "\u2e80-\u2fdf\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
_CYRILLIC = "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f"
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
# Only letters that no other spelling uses: a name such as São Paulo or Đoković is no leak.
_VIETNAMESE = "\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9"
_OTHER = (
    "\u0530-\u06ff\u0700-\u08ff"  # Armenian, Hebrew, Arabic, Syriac and their kin
    "\u0900-\u0e3e\u0e40-\u10ff"  # India, Thailand (without the baht sign), Tibet, Burma, Georgia
    "\u1200-\u17da\u17dc-\u1c7f"  # Ethiopia, Cherokee, Cambodia (without the riel sign), Mongolia
    "\u3105-\u312f\ua000-\ua4cf\ufb50-\ufdfb\ufe70-\ufefc"  # Bopomofo, Yi, Arabic forms
)
_BROKEN = "\ufffd"

_FOREIGN_RUN = re.compile(f"[{_HAN}{_KANA}{_CYRILLIC}{_GREEK}{_VIETNAMESE}{_OTHER}{_BROKEN}]+")
_HAN_CHAR = re.compile(f"[{_HAN}]")
_KANA_CHAR = re.compile(f"[{_KANA}]")
_CYRILLIC_CHAR = re.compile(f"[{_CYRILLIC}]")
_GREEK_CHAR = re.compile(f"[{_GREEK}]")
_LATIN_BEFORE = re.compile(r"[A-Za-z\u00c0-\u024f]{1,20}\Z")
_LATIN_AFTER = re.compile(r"[A-Za-z\u00c0-\u024f\u1ea0-\u1ef9]{1,20}")
_LONGEST_WORD_CHARS = 20
# One or two Greek letters are a symbol (α, μ, ΔΣ), not a word.
_SHORTEST_GREEK_CHARS = 3

_CODE = (
    r"^[ ]{0,3}(?P<fence>```|~~~)[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[`~]*|\Z)"  # fenced code
    r"|`[^`\n]{1,300}`"  # code in a line
)
_ALL_CODE = re.compile(_CODE, re.DOTALL | re.MULTILINE)
_NOT_PROSE = re.compile(
    _CODE
    + r"|\b(?:https?|ftp)://[^\s<>\"'가-힣]{1,2000}|\bwww\.[^\s<>\"'가-힣]{1,2000}"  # addresses
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"  # e-mail
    r"|(?<![\w.-])[\w-][\w.-]{0,119}\.(?:pdf|hwpx?|docx?|xlsx?|pptx?|txt|csv|md|html?|json|xml|ya?ml"
    r"|zip|png|jpe?g|gif|svg|mp[34]|py|js|ts|java|sql|sh)(?![A-Za-z0-9])",  # names of files
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
# Most texts have nothing of the kind; a search for one character of some is fast. Where case does
# not count, four characters more stand for Latin letters (ſ for s).
_MAY_NOT_BE_PROSE = re.compile(
    "[`@~/.wW](?:(?<=[`@])|(?<=~)~~|(?<=/)/|(?<=[wW])[.]|(?<=[.])[A-Za-z\u0130\u0131\u017f\u212a])"
)
_HANGUL = re.compile(r"[가-힣]")
_VISIBLE = re.compile(r"[^\n]")
_LATIN_WORD = r"[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f'’-]{0,40}"
# Only what stands between the words of a sentence: not > | / * = of paths, menus and queries.
_LATIN_RUN = re.compile(rf"{_LATIN_WORD}(?:[ \t\d,;:.!?'\"“”‘’()%&–—-]{{1,6}}{_LATIN_WORD})*")
_LATIN_WORDS = re.compile(_LATIN_WORD)


class Script(StrEnum):
    """A kind of writing that is not Korean."""

    HAN = "han"
    KANA = "kana"
    CYRILLIC = "cyrillic"
    OTHER = "other"
    BROKEN = "broken"
    LATIN = "latin"


class Run(NamedTuple):
    """An unbroken run of foreign characters and its half-open place, in code points."""

    script: Script
    text: str
    start: int
    end: int


def prose_only(text: str) -> str:
    """Return a text of the same length with blanks for code, addresses and names of files.

    A fence that is never closed runs to the end of the text. A line of code with Korean in it is
    said to the reader all the same, so that no answer can hide between backticks.
    """
    return _NOT_PROSE.sub(_blanked, text) if _MAY_NOT_BE_PROSE.search(text) else text


def without_code(text: str) -> str:
    """Return a text of the same length with blanks for code, Korean in it included."""
    if "`" not in text and "~~~" not in text:
        return text
    return _ALL_CODE.sub(lambda match: _VISIBLE.sub(" ", match[0]), text)


def _blanked(match: re.Match[str]) -> str:
    piece = match[0]
    if not piece.lstrip(" ").startswith(("`", "~~~")):
        return _VISIBLE.sub(" ", piece)
    return "\n".join(map(_blanked_line_of_code, piece.split("\n")))


def _blanked_line_of_code(line: str) -> str:
    if not _HANGUL.search(line):
        return _VISIBLE.sub(" ", line)
    return _NOT_PROSE.sub(lambda match: _VISIBLE.sub(" ", match[0]), line.replace("`", " "))


def foreign_runs(text: str) -> list[Run]:
    """Return every run of foreign letters and broken characters, in order.

    Latin letters are not among them, but for Vietnamese words. Han and kana that touch are one run
    of kana, because that is how Japanese is written.
    """
    runs: list[Run] = []
    for match in _FOREIGN_RUN.finditer(text):
        script = _script_of(match[0])
        if script is Script.LATIN:
            continue
        start, end = match.span()
        if script is Script.OTHER:
            start, end = _whole_word(text, start, end)
        if not runs or start >= runs[-1].end:
            runs.append(Run(script, text[start:end], start, end))
    return runs


def latin_runs(text: str, start: int = 0, end: int | None = None) -> Iterator[Run]:
    """Yield stretches of Latin words with only spaces, digits and a sentence's marks between."""
    for match in _LATIN_RUN.finditer(text, start, len(text) if end is None else end):
        yield Run(Script.LATIN, match[0], *match.span())


def latin_words(text: str) -> list[str]:
    """Return the Latin words of a text."""
    return _LATIN_WORDS.findall(text)


def han_only(text: str) -> str:
    """Return the Han characters of a text, in order."""
    return "".join(_HAN_CHAR.findall(text))


def _script_of(run: str) -> Script:
    if _BROKEN in run:
        return Script.BROKEN
    if _KANA_CHAR.search(run):
        return Script.KANA
    if _HAN_CHAR.search(run):
        return Script.HAN
    if _CYRILLIC_CHAR.search(run):
        return Script.CYRILLIC
    if len(run) < _SHORTEST_GREEK_CHARS and _GREEK_CHAR.match(run):
        return Script.LATIN
    return Script.OTHER


def _whole_word(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen the place of a Vietnamese letter to the Latin word that it stands in."""
    before = _LATIN_BEFORE.search(text, max(0, start - _LONGEST_WORD_CHARS), start)
    after = _LATIN_AFTER.match(text, end)
    return before.start() if before else start, after.end() if after else end
