"""Reads the articles that a text of law sets out: their paragraphs, items and sub-items.

An article begins at its heading (``제27조(공정경쟁)``, at the start of a line or after a full
stop), or is the whole text when only its title names it. Paragraphs are circled numbers (three
Unicode blocks), items ``1.``, sub-items ``가.``; numbers count only in their order, which keeps
dates and enumerations inside a sentence out. An article that was cut is known by its ellipsis, by
paragraphs that do not count from ① on, or by announced items (``다음 각 호``) that do not follow.

``3조`` is more often money (``3조 원``) or a team (``3조로 나누어``) than an article, so a number
without ``제`` needs a paragraph behind it, or words around it that cite.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

SUBITEMS = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호"
"""The sub-items (목) in the order of statutes: 가목 … 하목, 거목 … 허목, 고목 …."""
_G = r"[^\S\n]{0,2}"
_NOT_COUNTED = (
    r"(?!\d|[^\S\n]{0,2}(?:[항호]|가지|개|명|년|월|일|인|번|배|세|회|분|차|단계))"  # 제3조의 2가지
)
HEAD = re.compile(
    rf"(?P<article>(?P<sure>제{_G})?(?<![\d.,])(?P<number>\d{{1,4}}){_G}조(?![정직합립언명회종별장])"
    rf"(?:{_G}의{_G}(?P<branch>\d{{1,3}}){_NOT_COUNTED})?"
    rf"(?:{_G}\([^()\n\d][^()\n]{{0,60}}(?:\([^()\n]{{0,40}}\)[^()\n]{{0,40}})?\))?)"
    rf"|(?P<same>(?<![가-힣])(?:같은|동){_G}(?P<level>[조항호])(?={_G}[제①-⑳㉑-㉟㊱-㊿{SUBITEMS}]))"
    rf"|(?P<loose>(?=제{_G}\d{{1,3}}{_G}[항호]))"
    rf"|(?P<table>(?<![가-힣])별표(?:{_G}제?{_G}(?P<table_number>\d{{1,3}})(?:{_G}호)?"
    rf"(?:{_G}의{_G}(?P<table_branch>\d{{1,2}}){_NOT_COUNTED})?"
    rf"|(?={_G}(?:에{_G}(?:따|의|규정|정|명시)|[와과]{_G}같|[\])]))))"
    rf"|(?P<form>(?<![가-힣])별지{_G}제?{_G}(?P<form_number>\d{{1,3}}){_G}호"
    rf"(?:{_G}의{_G}(?P<form_branch>\d{{1,2}}))?(?:{_G}서식)?)"
    rf"|(?P<addendum>(?<![가-힣])부칙(?:{_G}[<〈(][^<>〈〉()\n]{{0,40}}[>〉)])?"
    rf"(?:{_G}제{_G}(?P<addendum_number>\d{{1,3}}){_G}조"
    rf"(?:{_G}의{_G}(?P<addendum_branch>\d{{1,2}}))?)?)"
    rf"|(?P<chapter>제{_G}(?P<chapter_number>\d{{1,3}}){_G}(?P<unit>[편장절])"
    rf"(?:{_G}의{_G}(?P<chapter_branch>\d{{1,2}}){_NOT_COUNTED})?(?![면비관소치차성]))"
    r"|(?P<law>[「『](?P<law_name>[^「」『』\n]{2,100})[」』])"
    rf"|(?P<decree>(?<![가-힣])시행(?:령|규칙)"
    rf"(?={_G}(?:에{_G}(?:따르면|의하면|규정|명시|근거)|에서)))"
)
# How each branch of it begins; a search for one character of some is fast.
_HEAD_START = re.compile(
    r"[제\d같동별부시「『](?:(?<=제)[^\S\n]{0,2}\d|(?<=\d)\d{0,3}[^\S\n]{0,2}조|(?<=같)은"
    r"|(?<=동)[^\S\n]{0,2}[조항호]|(?<=별)[표지]|(?<=부)칙|(?<=시)행[령규]|(?<=[「『]))"
)
TAIL = re.compile(
    rf"(?:{_G}(?:의{_G})?제?{_G}(?P<paragraph>\d{{1,3}}){_G}항(?![목공만구암체])"
    rf"|{_G}(?P<circled>[①-⑳㉑-㉟㊱-㊿]))?"
    rf"(?:{_G}제?{_G}(?P<item>\d{{1,3}}){_G}호(?:{_G}의{_G}(?P<item_branch>\d{{1,2}}))?(?![선실차점기]))?"
    rf"(?:{_G}(?P<subitem>[{SUBITEMS}]){_G}목(?![적표록차]))?"
)
# What makes an article of a bare ``3조``, standing before it or behind it, and what forbids it.
_CITING_BEFORE = re.compile(r"(?:근거|규정|조항|법령|참조|출처|조문)(?:[는은가]|\s?[:：])?\s{0,2}$")
_CITING_AFTER = re.compile(
    r"\s?(?:에\s?(?:따르|의하|따라|의해|의거|근거|규정|명시)|[을를]?\s?(?:위반|준용|참조)"
    r"|에서는?[^.\n]{0,20}(?:정하|정한|규정|명시)|의\s?규정)"
)
_COUNTED = re.compile(r"\s?(?:[\d천만억](?!항|\s?항)|원(?!칙)|달러|엔|유로|위안|여\s|씩|편성)")
_SPLIT_UP = re.compile(r"(?:\s?[과와,]\s?제?\s?\d{1,3}조){0,5}\s?로\s?(?:나[누뉘]|편성|구성)")
_LOOK_BACK_CHARS = 12


def next_head(text: str, position: int) -> re.Match[str] | None:
    """Return the first match of `HEAD` from a position on."""
    while begin := _HEAD_START.search(text, position):
        if head := HEAD.match(text, begin.start()):
            return head
        position = begin.start() + 1
    return None


def is_article(text: str, head: re.Match[str], *, named: bool) -> bool:
    """Tell whether what looks like an article is one.

    Args:
        text: The text.
        head: A match of `HEAD` that found an article.
        named: The name of a law stands right before it.
    """
    start, end = head.span()
    if _SPLIT_UP.match(text, end):
        return False
    if head["sure"] is not None or head["branch"]:
        return True
    if _COUNTED.match(text, end):
        return False
    if named:
        return True
    tail = TAIL.match(text, end)
    if tail is not None and (tail["paragraph"] or tail["circled"]):
        return True
    if text[max(0, start - 1) : start] in {"(", "["} and text[end : end + 1] in {")", "]"}:
        return True
    before = text[max(0, start - _LOOK_BACK_CHARS) : start]
    return bool(_CITING_AFTER.match(text, end) or _CITING_BEFORE.search(before))


_TITLE = r"[(\[【][^()\[\]【】\n]{1,80}(?:\([^()\n]{0,40}\)[^()\[\]【】\n]{0,40})?[)\]】]"
# Behind an article that is only referred to stands a particle, another reference, or a part of the
# article (제5조에 따라, 제5조 및 제6조, 제5조 단서에 해당하는). Behind the title of a real one its
# text may begin (제7조(수당) 제5조에 따른 수당은 …; 제1조(목적)이 법은 …).
_GOES_ON = (
    rf"{_G}[,ㆍ·~∼～](?!\s*$)|{_G}(?:및|또는|내지|중|단서|본문|전단|후단|각\s?호|참조)"
    rf"(?:에|에서|의|을|를|과|와|은|는|이)?(?![가-힣])"
)
_REFERS = (
    r"(?:에|에서|에는|에도|의|을|를|과|와|은|는|이|부터|까지|으로)(?![가-힣])"
    rf"|{_G}제{_G}\d|{_GOES_ON}"
)
_REFERS_BY_TITLE = rf"에|의|을|를|과|와|제\d|(?:은|는|부터|까지)(?![가-힣])|{_GOES_ON}"
_HEADING = re.compile(
    rf"(?:^[ \t#*>-]{{0,6}}|(?<=[.>」)]\s))제{_G}(?P<number>\d{{1,4}}){_G}조"
    rf"(?:{_G}의{_G}(?P<branch>\d{{1,3}}))?[*]{{0,2}}(?!{_REFERS}){_G}"
    rf"(?:{_TITLE}(?!{_REFERS_BY_TITLE})"
    rf"|[*]{{0,2}}\s*$|삭제|(?=①)|(?=[가-힣ㆍ· ]{{2,30}}①)"
    rf"|(?=[가-힣]{{2,20}}(?: [가-힣]{{1,10}}){{0,4}}[*]{{0,2}}$))",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(r"(?<!\S)[①-⑳㉑-㉟㊱-㊿]|(?<=[)\]】>*.])[①-⑳㉑-㉟㊱-㊿]")
_ITEM = re.compile(r"(?:^|(?<=\s))(\d{1,3})(?:의(\d{1,2}))?[.)](?!\d)(?=\s|[가-힣「\"“(])")
_AFTER_DATE_PART = re.compile(r"\d\.\s?$")
_SUBITEM = re.compile(rf"(?:^|(?<=\s))([{SUBITEMS}])[.)](?=\s|[「\"“(])")
_ANNOUNCED = re.compile(r"다음\s?각\s?호|다음과\s?같")
_OWED = re.compile(r"다음\s?각\s?호")
_CUT = re.compile(r"(?:…|\.\.\.|\((?:생략|중략|후략|이하 생략)\))\s*$")

Items = Mapping[tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class Division:
    """A paragraph, or an article without paragraphs.

    Attributes:
        items: The sub-items of each item, by its number and branch.
        announces_items: It speaks of items that follow (``다음 각 호``, ``다음과 같다``).
        lacks_items: It promises items (``다음 각 호``) that did not come along.
    """

    items: Items
    announces_items: bool
    lacks_items: bool


@dataclass(frozen=True, slots=True)
class Article:
    """An article as far as a text sets it out.

    Attributes:
        number: Its number.
        branch: The M of ``제N조의M``; 0 for none.
        start: Where it begins in the text.
        end: Where it ends.
        paragraphs: By number; empty if it is not divided.
        whole: All of it, or what stands before its first paragraph.
        cut: It shows that paragraphs are missing.
    """

    number: int
    branch: int
    start: int
    end: int
    paragraphs: Mapping[int, Division]
    whole: Division
    cut: bool


def read_articles(text: str, title: tuple[int, int] | None = None) -> tuple[Article, ...]:
    """Return the articles of a text, in order.

    Args:
        text: The text.
        title: Number and branch of the article that the text's title names, if it names one; the
            text before the first heading is its.
    """
    headings = list(_HEADING.finditer(text))
    articles = []
    if title is not None:
        end = headings[0].start() if headings else len(text)
        if text[:end].strip() or not headings:
            articles.append(_article(text, title, 0, end))
    for place, heading in enumerate(headings):
        end = headings[place + 1].start() if place + 1 < len(headings) else len(text)
        key = (int(heading["number"]), int(heading["branch"] or 0))
        articles.append(_article(text, key, heading.start(), end, heading.end()))
    return tuple(articles)


def _article(
    text: str, key: tuple[int, int], start: int, end: int, body: int | None = None
) -> Article:
    body = start if body is None else body
    marks = paragraph_marks(text, body, end)
    borders = [position for _, position in marks] + [end]
    paragraphs = {
        number: _division(text, position + 1, borders[place + 1])
        for place, (number, position) in enumerate(marks)
    }
    whole = _division(text, body, borders[0])
    last = [whole, *paragraphs.values()][-1]
    cut = (
        _CUT.search(text, max(start, end - 20), end) is not None
        or [number for number, _ in marks] != list(range(1, len(marks) + 1))
        or last.lacks_items
    )
    return Article(*key, start, end, paragraphs, whole, cut)


def paragraph_marks(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return number and place of each paragraph; only a number that goes on counts.

    Excerpts leave paragraphs out, so that one that opens a line may be any later one.
    """
    marks: list[tuple[int, int]] = []
    for match in _PARAGRAPH.finditer(text, start, end):
        number = int(unicodedata.numeric(match[0]))
        last = marks[-1][0] if marks else number - 1
        if number == last + 1 or (number > last and _opens_line(text, match.start())):
            marks.append((number, match.start()))
    return marks


def _opens_line(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()


def _division(text: str, start: int, end: int) -> Division:
    found: list[tuple[tuple[int, int], int]] = []
    for match in _ITEM.finditer(text, start, end):
        key = (int(match[1]), int(match[2] or 0))
        if _AFTER_DATE_PART.search(text, max(start, match.start() - 4), match.start()):
            continue
        opens_line = _opens_line(text, match.start())
        if _goes_on(found[-1][0] if found else (0, 0), key, opens_line=opens_line):
            found.append((key, match.end()))
    borders = [position for _, position in found] + [end]
    items = {
        key: _subitems(text, position, borders[place + 1])
        for place, (key, position) in enumerate(found)
    }
    return Division(
        items,
        announces_items=_ANNOUNCED.search(text, start, end) is not None,
        lacks_items=not items and _OWED.search(text, start, end) is not None,
    )


def _goes_on(last: tuple[int, int], key: tuple[int, int], *, opens_line: bool) -> bool:
    if key[1]:
        return key[0] == last[0] and key > last
    return key[0] == last[0] + 1 or (opens_line and key[0] > last[0] > 0)


def _subitems(text: str, start: int, end: int) -> str:
    found = ""
    for match in _SUBITEM.finditer(text, start, end):
        if SUBITEMS.startswith(found + match[1]):
            found += match[1]
    return found
