"""How references to law are written: the patterns, and when a bare ``3조`` is one at all.

``3조`` is more often money (``3조 원``) or a team (``3조로 나누어``) than an article, so a number
without ``제`` needs a paragraph behind it, or words around it that cite.
"""

import re

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
