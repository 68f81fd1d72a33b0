"""Citation marks of an answer: ``[†2]``, ``[1, 3]``, ``[출처: 인사규정]``.

Read outside code only. A number in plain brackets or raised is only a candidate, because footnotes
and list numbers look the same; links, check boxes, exponents and years (``[2024]``) are not read at
all. Of ``[Data: Sources (1, 2); Entities (5)]`` only the sources' numbers count. Numbers that head
the lines of a list of references are read like others (see `guards.text.citing.references`).
Numbers are read and written as ``1, 3-5``, ``1,†2`` or ``²³``.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
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
"""Words that make a sentence rest on the mark before it."""
IS_WORD = re.compile(
    rf"{RESTS_ON.pattern}|번(?:\s?(?:문서|자료|출처|규정|안내))?(?:[은을이의과]|에서?)?(?![가-힣])"
    r"|(?:에서[는도]?|에[는도]?|으?로|[은는이가을를의와과도상])(?![가-힣])"
)
"""Particles attached to a mark that is a word."""


def marks_in(text: str) -> Iterator[re.Match[str]]:
    """Yield the places of a text that are written like a mark, in order."""
    position = 0
    # Trying the pattern at every character would cost several times as much.
    while opening := _OPENING.search(text, position):
        mark = _MARK.match(text, opening.start())
        if mark is not None:
            yield mark
        position = mark.end() if mark else opening.end()


class MarkKind(StrEnum):
    """Way in which a mark names its source."""

    NAMED = "named"
    """By title or file: ``[출처: …]``, ``(출처: …)``, ``[참조: …]``."""
    NUMBERED = "numbered"
    """By number, in a form that is nothing else: ``[†2]``, ``【2】``, ``[^2]``, ``[출처 2]``."""
    PLAIN = "plain"
    """By number in plain brackets or raised: ``[2]``, ``²``."""


class MarkStyle(StrEnum):
    """Notation of a mark, from which its replacement is written."""

    NAMED = "named"
    LIST = "list"
    """Numbers between two brackets: ``[1, 2]``, ``[†1]``, ``【1】``, ``[출처 1]``."""
    NOTE = "note"
    """``[^1]``."""
    RAISED = "raised"
    """``¹²``."""
    TAG = "tag"
    """``<cite id="1">…</cite>``, ``<source>1</source>``, ``<sup>1</sup>``."""
    GRAPH = "graph"
    """``[Data: Sources (1, 2); Entities (5)]``."""


@dataclass(frozen=True, slots=True)
class CitationMark:
    """One mark.

    Attributes:
        kind: How it names its source.
        start: Where it begins in the raw text, in code points.
        end: Where it ends.
        target: What it names, for a named mark.
        numbers: The numbers it names, for the others.
        well_placed: It stands where citations stand: right before or behind a full stop, or
            before ``에 따르면``.
        style: How it is written.
        numbers_at: Where its numbers stand in the raw text, half-open.
        place: The page or article behind its numbers as written (``, p.3``); empty if it gives
            none.
        wrapped: The words that it stands around; empty if it stands around none.
        is_word: A particle hangs on it, so that it is a word of the sentence that goes on behind
            it: ``[2]에 따르면``, ``【2】는``, ``[2]번 문서``.
    """

    kind: MarkKind
    start: int
    end: int
    target: str = ""
    numbers: tuple[int, ...] = ()
    well_placed: bool = False
    style: MarkStyle = MarkStyle.NAMED
    numbers_at: tuple[int, int] = (0, 0)
    place: str = ""
    wrapped: str = ""
    is_word: bool = False

    def written(self, raw: str, numbers: Sequence[int]) -> str:
        """Return the mark with other numbers, in its own way of writing.

        Args:
            raw: The whole text that the mark was read from.
            numbers: The numbers, in the order in which they are to stand. A named mark has none
                and can only be taken out.

        Returns:
            The mark; without numbers what is left when it is taken out: nothing, the words that it
            stands around, or what else it cites.
        """
        if tuple(numbers) == self.numbers and self.numbers:
            return raw[self.start : self.end]
        if not numbers:
            is_graph = self.style is MarkStyle.GRAPH
            return _without_sources(raw[self.start : self.end]) if is_graph else self.wrapped
        begin, stop = self.numbers_at
        before, old, after = raw[self.start : begin], raw[begin:stop], raw[stop : self.end]
        if self.style is MarkStyle.NOTE:
            return "".join(f"{before}{number}{after}" for number in numbers)
        written = raised if self.style is MarkStyle.RAISED else joined
        return f"{before}{written(numbers, old)}{after}"


_CODE = re.compile(r"(?P<fence>```|~~~).*?(?:(?P=fence)|\Z)|`[^`\n]*`", re.DOTALL)
_STYLES = {
    **dict.fromkeys(
        ("labelled", "round_labelled", "document", "dagger", "thick", "double", "ident", "plain"),
        MarkStyle.LIST,
    ),
    **dict.fromkeys(("tag_ids", "tagged", "sup"), MarkStyle.TAG),
    "note": MarkStyle.NOTE,
    "raised": MarkStyle.RAISED,
}
_NAMES = frozenset({"square", "lens", "round", "filed"})
_ONLY_CANDIDATES = frozenset({"document", "sup", "raised", "ident", "plain"})
# "(참고: 주말에는 문을 닫습니다)" and "(참고: 주말 10% 할증)" tell something.
_MAY_TELL = re.compile(r"[(\[【]\s?(?:※\s?)?참고")
_TELLS = re.compile(
    r"(?:니다|[어아여해예에]요|[이한된있없]다)[.!]?\s?$|\d\s?(?:%|원|일|시|분|명|세|개|회|배|만|천)"
)
_PLACE_BEHIND = re.compile(PLACE)
_GRAPH_SOURCES = re.compile(
    r"\bSources?\s?\(\s?(?P<numbers>\d{1,3}(?:,\s?\d{1,3}){0,30})[^()]{0,20}\)"
)
_GRAPH_SEPARATOR = re.compile(r"\s?[;,]\s?")
# "- [3] 첫 번째 항목" numbers a list, unless nothing but marks stands on the line.
_LINE_BEGINS = re.compile(r"\n[ \t]*(?:[-*>•]\s?)?\Z")
_LINE_ENDS = re.compile(r"(?:[ \t]?\[[\d,~ -]{1,12}\]){0,5}[ \t]*(?:\n|$)")
# "표 [3]" and "식 [3]" name a figure of the text, "배열[3]" a place in the program.
_NO_SOURCE_BEFORE = re.compile(
    r"(?:표|그림|식|부록|버전|항목|배열|인덱스|원소|행렬|벡터|리스트)\s?\Z"
)
# "3.²" and "(a+b)²" are figures.
_FIGURE_BEFORE = re.compile(r"[\dA-Za-z+*/^-]\s?[.)\"'”’\]]{1,2}\Z")
_SENTENCE_END_BEFORE = re.compile(r"[.!?。다요죠음함임됨][\"'”’)]?\s?\Z")
_SENTENCE_END_AFTER = re.compile(r"(?:\s?\[[\d,~ p.-]{1,12}\]){0,5}\s?(?:[.!?。]|\n|$)")
_PAST_NINE = re.compile(rf"(?<![{SUPERSCRIPTS}])¹[⁰¹](?![{SUPERSCRIPTS}])")
_STOPS = frozenset(".!?。")
_LOOK_BACK_CHARS = 12
_TEXTS_KEPT = 64


# Most readings of an answer ask for its marks, those of each of its sentences in between.
@lru_cache(maxsize=_TEXTS_KEPT)
def read_marks(text: str) -> tuple[CitationMark, ...]:
    """Return the citation marks of a text, in order."""
    if not _OPENING.search(text):
        return ()
    may_be_code = "`" in text or "~~~" in text
    read = _CODE.sub(lambda code: " " * len(code[0]), text) if may_be_code else text
    return tuple(_marks(read))


def _marks(text: str) -> Iterator[CitationMark]:
    past_nine = _PAST_NINE.search(text) is not None
    behind, is_placed = -1, False
    for match in marks_in(text):
        start, end = match.span()
        before = text[max(0, start - _LOOK_BACK_CHARS) : start]
        # Of several marks in a row, each stands where the first one does.
        if text[behind:start].strip() or start - behind > 1:
            is_placed = _SENTENCE_END_BEFORE.search(before) is not None
        behind = end
        # A text begins as a line does.
        before = before if start > _LOOK_BACK_CHARS else f"\n{before}"
        mark = _mark(text, match, before, past_nine=past_nine, is_placed=is_placed)
        if mark is not None:
            yield mark


def _mark(
    text: str, match: re.Match[str], before: str, *, past_nine: bool, is_placed: bool
) -> CitationMark | None:
    start, end = match.span()
    group = match.lastgroup or ""
    hangs = IS_WORD.match(text, end) is not None and not _begins_anew(text, start, end)
    if group in _NAMES:
        target = match[group].strip()
        if _MAY_TELL.match(text, start) and _TELLS.search(target):
            return None
        return CitationMark(MarkKind.NAMED, start, end, target=target, is_word=hangs)
    if group == "graph":
        return _graph_mark(text, start, end)
    name = "tag_ids" if group == "wrapped" else group
    if name in _ONLY_CANDIDATES and not _may_cite(name, before, text, end, is_word=hangs):
        return None
    place = _PLACE_BEHIND.match(text, match.end(name), end)
    placed = is_placed or _SENTENCE_END_AFTER.match(text, end) or RESTS_ON.match(text, end)
    return CitationMark(
        kind=MarkKind.PLAIN if name in _ONLY_CANDIDATES else MarkKind.NUMBERED,
        start=start,
        end=end,
        numbers=_numbers(name, match[name], past_nine=past_nine),
        well_placed=bool(placed),
        style=_STYLES[name],
        numbers_at=match.span(name),
        place=place[0] if place else "",
        wrapped=match["wrapped"] or "",
        is_word=hangs,
    )


def _numbers(name: str, written: str, *, past_nine: bool) -> tuple[int, ...]:
    return read_raised(written, past_nine=past_nine) if name == "raised" else read_numbers(written)


def _begins_anew(text: str, start: int, end: int) -> bool:
    """Tell whether a sentence begins right behind a mark: ``…다.[1]이 경우``."""
    return text[start - 1 : start] in _STOPS and text[end : end + 1] == "이"


def _may_cite(name: str, before: str, text: str, end: int, *, is_word: bool) -> bool:
    """Tell whether a candidate may be a citation, by what stands around it."""
    if name in {"raised", "sup"}:
        return _FIGURE_BEFORE.search(before) is None
    if not is_word and _LINE_BEGINS.search(before) and not _LINE_ENDS.match(text, end):
        return False
    return _NO_SOURCE_BEFORE.search(before) is None


def _graph_mark(text: str, start: int, end: int) -> CitationMark | None:
    sources = _GRAPH_SOURCES.search(text, start, end)
    if sources is None:
        return None
    return CitationMark(
        MarkKind.NUMBERED,
        start,
        end,
        numbers=read_numbers(sources["numbers"]),
        well_placed=True,
        is_word=IS_WORD.match(text, end) is not None,
        style=MarkStyle.GRAPH,
        numbers_at=sources.span("numbers"),
    )


def _without_sources(written: str) -> str:
    """Return a mark of graph data without its sources; empty if it cites nothing else."""
    sources = _GRAPH_SOURCES.search(written)
    if sources is None:
        return written
    begin, end = sources.span()
    if behind := _GRAPH_SEPARATOR.match(written, end):
        end = behind.end()
    elif before := re.search(r"\s?[;,]\s?$", written[:begin]):
        begin = before.start()
    left = written[:begin] + written[end:]
    return left if "(" in left else ""
