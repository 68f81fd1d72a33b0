"""The patterns of citation marks, and of what hangs on a mark that is a word of its sentence."""

import re
from collections.abc import Iterator

from guards.text.slots.citation_numbers import LABEL, NUMBERS, RAISED, SUPERSCRIPTS

FILE = r"\.(?:pdf|hwpx?|docx?|xlsx?|pptx?|txt|csv|md|html?)"
PAGES = (
    r"(?:pp?\.\s?\d{1,4}(?:\s?[-~]\s?\d{1,4})?"
    r"|\d{1,4}(?:\s?[-~]\s?\d{1,4})?\s?(?:쪽|페이지))"
)
_ARTICLE = (
    r"제\s?\d{1,4}\s?조(?:\s?의\s?\d{1,2})?"
    r"(?:\s?제?\s?\d{1,2}\s?항)?(?:\s?제?\s?\d{1,2}\s?호)?"
)
PLACE = rf"(?:(?:\s?[,:]\s?|\s)(?:{PAGES}|{_ARTICLE})){{1,2}}"
"""A page or an article behind the number of a source: ``, p.3``, `` 제5조``."""
_NAMING = r"\s?(?:※\s?)?(?:출처|참조|참고|근거|인용)"
_TAG = r"(?:cite|citation|source|ref)"
_AFTER_WORDS = r"(?<=[가-힣.!?。)\"'”’」』\]])"
_OPENING = re.compile(rf"[\[［(【<{SUPERSCRIPTS}]")
# Every branch begins with one of `_OPENING`. The group that is matched last names the kind.
_MARK = re.compile(
    rf"\[\s?{LABEL}\s?[#:：]?\s?†?(?P<labelled>{NUMBERS})(?:{PLACE})?\s?\]"
    rf"|\(\s?(?:출처|근거|인용|[Ss]ources?)\s?[#:：]?\s?(?P<round_labelled>{NUMBERS})(?:{PLACE})?\s?\)"
    rf"|\((?:문서|자료)\s?(?P<document>{NUMBERS})\)"
    rf"|\[{_NAMING}\s?[:：](?P<square>[^\[\]\n]{{1,200}})\]"
    rf"|【{_NAMING}\s?[:：](?P<lens>[^【】\n]{{1,200}})】"
    rf"|\({_NAMING}\s?[:：](?P<round>[^()\n]{{1,200}}(?:\([^()\n]{{0,80}}\)[^()\n]{{0,80}}){{0,3}})\)"
    rf"|[(\[](?P<filed>[^()\[\]\n]{{1,100}}{FILE}\s?,?\s?{PAGES})[)\]](?!\()"
    rf"|[\[【]\s?†\s?(?P<dagger>{NUMBERS})(?:{PLACE})?\s?[\]】]"
    rf"|【\s?(?P<thick>{NUMBERS})(?:[:†][^【】\n]{{0,40}})?\s?】"
    r"|\[\^(?P<note>\d{1,3})\](?!:)"
    rf"|\[\[\s?(?P<double>{NUMBERS})\s?\]\](?!\()"
    rf"|\[ID\s?:\s?(?P<ident>{NUMBERS})\]"
    r"|\[\s?Data:\s?(?P<graph>[^\[\]\n]{1,300})\]"
    rf"|<(?P<tag>{_TAG})\s(?:ids?|ref|source|doc|n)\s?=\s?[\"']?(?P<tag_ids>{NUMBERS})[\"']?"
    r"[^<>\n]{0,60}>(?:(?P<wrapped>[^<>\n]{0,600})</(?P=tag)>)?"
    rf"|<(?P<around>{_TAG})>\s?\[?(?P<tagged>{NUMBERS})\]?\s?</(?P=around)>"
    rf"|{_AFTER_WORDS}<sup>\s?\[?(?P<sup>{NUMBERS})\]?\s?</sup>"
    rf"|{_AFTER_WORDS}(?P<raised>{RAISED})(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9_!)])[\[［]\s?(?P<plain>\d{1,2}(?:\s?[,、~–-]\s?\d{1,2}){0,9})"
    rf"(?:{PLACE})?\s?[\]］](?!\]?[(:])"
)
_DOCUMENT = r"(?:번\s?)?(?:문서|자료|출처)?"
RESTS_ON = re.compile(rf"{_DOCUMENT}\s?(?:에\s?(?:따르|따라|의하|의해|의거|근거)|에서는?\s)")
"""What makes a sentence rest on the mark before it."""
IS_WORD = re.compile(
    rf"{RESTS_ON.pattern}|번(?:\s?(?:문서|자료|출처|규정|안내))?(?:[은을이의과]|에서?)?(?![가-힣])"
    r"|(?:에서[는도]?|에[는도]?|으?로|[은는이가을를의와과도상])(?![가-힣])"
)
"""What hangs on a mark that is a word."""


def marks_in(text: str) -> Iterator[re.Match[str]]:
    """Yield the places of a text that are written like a mark, in order."""
    position = 0
    # Trying the pattern at every character would cost several times as much.
    while opening := _OPENING.search(text, position):
        mark = _MARK.match(text, opening.start())
        if mark is not None:
            yield mark
        position = mark.end() if mark else opening.end()
