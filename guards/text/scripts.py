"""Runs of text that is not Korean: Han, kana, Cyrillic, other scripts, broken characters, Latin.

One pass with one class of ranges, because texts are nearly always free of such characters and plain
ranges are what `re` scans fastest. What lies in code, addresses and file names is left out.

A question may ask for a foreign script (``중국어로 번역해 주세요``, ``한자로 써 줘``). A language
that is only mentioned (``중국어 통역이 되나요?``, ``영어로 된 서류를 알려 주세요``) or refused
(``영어로 답하지 마세요``) is not asked for. Who asks for an original (``원문 그대로 인용해
주세요``) names no script, and it may be Korean: that licenses quotations only.
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


_HAN_ONLY = frozenset({Script.HAN})
_JAPANESE = frozenset({Script.HAN, Script.KANA})
_LATIN = frozenset({Script.LATIN})
_LETTERS = frozenset({Script.CYRILLIC, Script.OTHER, Script.LATIN})
_SCRIPTS_OF = {
    **dict.fromkeys(("중국어", "중문", "한문", "한자", "간체", "번체", "chinese"), _HAN_ONLY),
    **dict.fromkeys(("일본어", "일어", "일문", "히라가나", "가타카나", "japanese"), _JAPANESE),
    **dict.fromkeys(("영어", "영문", "english"), _LATIN),
    **dict.fromkeys(("러시아어", "우크라이나어", "몽골어", "베트남어", "태국어"), _LETTERS),
    **dict.fromkeys(("프랑스어", "독일어", "스페인어", "아랍어", "힌디어", "네팔어"), _LETTERS),
    **dict.fromkeys(("외국어", "원어", "현지어"), _LETTERS | _JAPANESE),
}
_NAME = re.compile("|".join(_SCRIPTS_OF), re.IGNORECASE)
_REST_CHARS = 40
_WRITE = r"[^.?!\n]{0,20}?(?:번역|통역|옮|바꿔|바꾸|써|쓰|적|표기|병기|답|말|작성|표현)"
# Here an object may stand between (영어로 상담할 곳을 알려 주세요), hence the short gap.
_TELL = r"[^.?!\n]{0,5}?(?:알려|설명|안내|정리|요약)"
_PLEASE = (
    r"(?:[^.?!\n]{0,6}?(?:줘|주세요|주십|주시|주실|줄래|줄\s수|달라|부탁|바랍|하라|해라|세요|시오)"
    r"|해\s*[.!?]?\s*\Z)"
)
# A word in 는, 된, 인 after the name describes what is already in that language (영어로 된 서류).
_IN_IT = r"(?:자)?(?:으로|로)(?!\s?\S{0,6}(?:[는된인힌]|되어|돼)\s)(?:도|만|는)?"
_ASKED = re.compile(
    rf"{_IN_IT}(?:{_WRITE}|{_TELL}){_PLEASE}"
    rf"|{_IN_IT}\s?(?:뭐|뭘|무엇|무슨|어떻게|뭔)"
    rf"|(?:를|을|도|와|과)?\s?(?:같이|함께|병기)[^.?!\n]{{0,10}}?{_PLEASE}"
    r"|\s?(?:표기|표현|번역|번역본|번역문|발음)[을를은는이가도]?\s?(?:알려|부탁|해\s?줘|해\s?주|뭐|무엇|어떻게)"
    r"|(?<=한자)[를는가]?\s?(?:알려|뭐|무엇|써|적어|어떻게)"
)
_ASKED_IN_ENGLISH = re.compile(r"\b(?:in|into)\s(english|chinese|japanese)\b", re.IGNORECASE)
_ORIGINAL = re.compile(
    r"원문(?:[은이]?\s?(?:뭐|뭔|무엇|어떻게)"
    rf"|[^.?!\n]{{0,25}}?(?:인용|보여|알려|써|적어|제시|옮겨|들려|읽어|표기|병기){_PLEASE})"
)
_TRANSLATED = re.compile(
    r"(?:번역|해석|풀이|설명|요약)[하해한]|(?:한글|한국어|우리말|쉬운\s?말)로|풀어"
)
_REFUSED = re.compile(r"지\s?(?:마|말|않)|말고|금지|없이")


def requested_scripts(question: str) -> frozenset[Script]:
    """Return the scripts beside Hangul in which the question wants its answer."""
    requested: set[Script] = set()
    for name in _NAME.finditer(question):
        rest_end = name.end() + _REST_CHARS
        request = _ASKED.match(question, name.end(), rest_end)
        if request and not _REFUSED.search(question, name.end(), request.end() + 6):
            requested |= _SCRIPTS_OF[name[0].lower()]
    for match in _ASKED_IN_ENGLISH.finditer(question):
        requested |= _SCRIPTS_OF[match[1].lower()]
    return frozenset(requested)


def asks_for_original(question: str) -> bool:
    """Tell whether a question wants a text in the words in which it was written."""
    return any(
        not _TRANSLATED.search(request[0]) and not _REFUSED.search(request[0])
        for request in _ORIGINAL.finditer(question)
    )
