"""Repairs the text around citation marks that were taken out.

Nothing of a mark stays behind: no doubled blank, no blank before a full stop, no empty brackets,
no joining comma, no ``출처:`` without a source and no ``에 따르면,`` without a document. A sentence
that is about the mark itself (``[7]은 연차를 정한다``) has no meaning without it and cannot be
healed.

The patterns are of what may stand around a mark and has no meaning without it. Those named after
what stands before a mark end there; those behind it are matched from its place.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from guards.core.finding import Span
from guards.text.particles import agreeing, particle_at, stem
from guards.text.sentences import place_to_remove
from guards.text.slots.citation_mark import CitationMark
from policies.edits import Edit

_LABEL = (
    r"(?:출처|문서|자료|근거|참고(?:\s?(?:자료|문헌|문서))?|참조|[Ss]ources?|[Rr]ef(?:erence)?s?)"
)
_JOINER = r"(?:\s?[,、·;/&]\s?|(?:와|과|이랑|랑|하고)\s|\s(?:및|그리고|또는|and)\s)"
HANGUL = re.compile(r"[가-힣]+")
# Between two marks that go, all of this goes with them.
ONLY_JOINS = re.compile(rf"(?:{_JOINER}|[^\S\n])*")
# Between one that goes and one that stays; either may stand in brackets of its own.
JOINER_BEHIND = re.compile(rf"[)\]）】]{{0,2}}(?P<joiner>{_JOINER})")
JOINER_BEFORE = re.compile(rf"(?P<joiner>{_JOINER})[(\[（【]{{0,2}}")
_PAGE = r"(?:\s?,\s?(?:pp?\.\s?\d{1,4}|\d{1,4}\s?(?:쪽|페이지|면)))?"
OPENED = re.compile(
    r"(?P<open>[(\[（【「『]|\*\*|__|<sup>|<small>)"
    rf"\s?(?:[※*→]\s?)?(?:{_LABEL}\s?[:：]?\s?)?$"
)
CLOSED = re.compile(
    rf"{_PAGE}\s?(?:번|참조|참고)?\s?\.?\s?(?P<close>[)\]）】」』]|\*\*|__|</sup>|</small>)"
)
LABEL_BEFORE = re.compile(
    rf"(?:(?:위|상기|해당|제공된|첨부된)\s)?(?<![가-힣A-Za-z]){_LABEL}\s?(?:[:：]\s?)?$"
)
_TELL = r"(?:밝히|설명하|말하|나타내|언급하|안내하|정하|규정하|명시하|보여\s?주)"
_TOLD = r"(?:밝힌|설명한|말한|나타낸|언급한|안내한|정한|규정한|명시한|보여\s?준)"
_AS_TOLD = rf"(?:{_TELL}듯이?|{_TOLD}\s?(?:대로|것처럼|바와\s?같이|바에\s?따르면))"
_ACCORDING = (
    r"(?:따르면|따라서?|의하면|의하여|의해|의거(?:하여|하면|해)|근거(?:하여|하면|해)"
    r"|기초(?:하여|해)|기반(?:하여|해)|비추어)"
)
FRAME = re.compile(
    rf"[^\S\n]?(?:번)?[^\S\n]?(?:{_LABEL})?(?:의\s?(?:규정|내용|설명|안내|기준|조항|본문))?"
    rf"(?:에\s?(?:{_ACCORDING}"
    r"|(?:나온|나와\s있는|적힌|명시된|기재된|규정된|언급된)\s?(?:대로|바와\s?같이|것처럼)"
    r"|나와\s?있듯이?|나오듯이?|적혀\s?있듯이?)"
    rf"|에서\s?(?:보듯이?|(?:볼|알|확인할|살펴볼)\s수\s있듯이?|{_AS_TOLD})"
    rf"|[이가]\s?{_AS_TOLD}"
    r"|[을를]\s?(?:보면|참고하면|참조하면|살펴보면|바탕으로|근거로|토대로|기준으로))(?![가-힣])"
    r"[ \t]?,?[ \t]*"
)
# "자세한 내용은 [7]을 참고하세요." points at the mark and says nothing else.
POINTED = re.compile(
    r"(?:(?<=[.!?。(\n])|^)(?P<gap>[ \t]*)(?:[-*•※][ \t]*)?(?:(?:더|보다)\s)?"
    r"(?:(?:자세한|상세한|구체적인|세부|추가)\s?[가-힣 ]{0,20}[은는]\s?)?$"
)
# "확인 방법은" behind the mark begins what the answer says itself.
POINTING = re.compile(
    rf"(?:번)?[^\S\n]?(?:{_LABEL})?(?:[을를]|에서)?[^\S\n]?(?:참조|참고|확인)(?:"
    r"(?:하세요|해[ ]?주세요|하시기[ ]?바랍니다|하십시오|바랍니다|하시면[ ]?됩니다)[.!]?(?=[\s)]|$)"
    r"|[.!](?=[\s)]|$)|(?=[^\S\n]*(?:[)\n]|$)))"
)
_LINE_LABEL = (
    rf"(?:^|\n)[ \t]*(?P<content>(?:[-*•>]\s)?[*_(]{{0,3}}{_LABEL}[*_]{{0,3}}\s?[:：]"
    r"[*_]{0,3}[ \t]*)"
)
LINE_LABEL = re.compile(rf"{_LINE_LABEL}$")
SENTENCE_LABEL = re.compile(rf"(?<=[.!?。])[ \t]*{_LABEL}\s?[:：][ \t]*$")
DASH_BEFORE = re.compile(r"(?<=[^\s|])[^\S\n]+[-–—→※][^\S\n]*$")
BARE_ITEM = re.compile(r"(?:^|\n)[ \t]*(?P<content>(?:[-*•·>]|\d{1,3}[.)])?[ \t]*)$")
# "출처: [1] a.pdf, [7] b.pdf" in one line.
LISTING = re.compile(rf"{_LINE_LABEL}(?P<before>[^\n]*?(?P<joiner>\s?[,;·/]\s?))?$")
NAME = re.compile(
    r"[ \t]*(?P<name>(?![^,;·\n]{0,80}(?:다|요|죠|까|오)[.!?]?(?:[,;·\n]|$))"
    rf"[^\s,;·\[\]【】†][^,;·\n\[\]【】†]{{0,80}}{_PAGE})"
    r"(?:(?P<joiner>\s?[,;·]\s?)|(?=[ \t]*(?:\n|$)))"
)
LINE_END = re.compile(rf"{_PAGE}[ \t]*[.]?[ \t]*(?=\n|$)")
_COPULA = r"(?:입니다|이다|이며|이고|임|예요|이에요|인)"
COPULA = re.compile(rf"{_COPULA}(?![가-힣])|번")


BLANKS = " \t\u00a0\u202f\u3000"
"""White space within a line, with the kinds that do not break."""
_PUNCTUATION = tuple(".,!?;:)]}”’…。、")
_PAIRED_SIGNS = ("**", "__", '"')
STOPS = (".", "!", "?", "。")


@dataclass(frozen=True, slots=True)
class Around:
    """The text around a removed mark.

    Attributes:
        left: The text before it, a window of it.
        right: The text behind it, a window of it.
        mark_before: Where in `left` the last mark that stays ends; None if none is left of it.
        mark_behind: Where in `right` the next one begins; None if none is right of it.
    """

    left: str
    right: str
    mark_before: int | None = None
    mark_behind: int | None = None

    def outside(self, start: int, end: int) -> "Around":
        """Return what stands around a wider place.

        Args:
            start: Where it begins, in `left`.
            end: Where it ends, in `right`.
        """
        before, behind = self.mark_before, self.mark_behind
        return Around(
            self.left[:start],
            self.right[end:],
            before if before is not None and before <= start else None,
            behind - end if behind is not None and behind >= end else None,
        )


@dataclass(frozen=True, slots=True)
class Closing:
    """Characters that are removed with a mark.

    Attributes:
        left: How many characters before it go.
        right: How many characters behind it go.
    """

    left: int = 0
    right: int = 0
    text: str = ""


def without(around: Around, start: int, end: int) -> Closing:
    """Take out what stands from `start` in the text before to `end` in the text behind."""
    both = around.left + around.right
    first, last = place_to_remove(both, start, len(around.left) + end)
    return Closing(len(around.left) - first, last - len(around.left))


def taken_over(around: Around, word: str, blanks: int) -> Closing:
    """Let the particle behind the mark follow a word before it, over some blanks."""
    particle = particle_at(around.right, 0)
    return Closing(blanks, len(particle), agreeing(particle, word))


def spaced(around: Around) -> Closing:
    """Close up blanks and punctuation that were apart only because of the mark."""
    before, rest = around.left.rstrip(BLANKS), around.right.lstrip(BLANKS)
    ahead, behind = len(around.left) - len(before), len(around.right) - len(rest)
    if not before or before.endswith("\n"):
        return Closing(right=behind)
    if not rest or rest.startswith("\n"):
        return Closing(left=ahead)
    if ahead and behind:
        closes = rest.startswith(_PUNCTUATION) or _closes(rest, before)
        return _against(before, rest, ahead, behind) if closes else Closing(right=behind)
    if rest.startswith(_PUNCTUATION) or (ahead and _closes(rest, before)):
        return _against(before, rest, ahead, behind)
    if before.endswith("**") and rest.startswith("**") and not (ahead or behind):
        return Closing(text=" ")
    return Closing() if ahead or behind else taken_over(around, before, 0)


def is_open(sign: str, left: str) -> bool:
    """Tell whether a sign that opens and closes alike is open at the end of a text."""
    return left[left.rfind("\n") + 1 :].count(sign) % 2 == 1


def is_free_standing(left: str) -> bool:
    """Tell whether what follows a text begins a word of its own."""
    return not left or left[-1].isspace() or left[-1] in "([（"


def _closes(rest: str, before: str) -> bool:
    """Tell whether a sign that opens and closes alike stands there and closes."""
    return any(rest.startswith(sign) and is_open(sign, before) for sign in _PAIRED_SIGNS)


def _against(before: str, rest: str, ahead: int, behind: int) -> Closing:
    """Close up before a sign; of two stops, or of a comma and a stop, only one stays."""
    if rest[0] in STOPS and before[-1] in STOPS and not rest.startswith(".."):
        return Closing(ahead, behind + 1)
    if rest[0] in STOPS and before[-1] in ",;、":
        return Closing(ahead + 1, behind)
    return Closing(ahead, behind)


_LEADS_ON = frozenset(
    "반면 다만 또한 특히 한편 따라서 즉 단 그리고 또 및 그러나 하지만 관련".split()
)


def listed(around: Around) -> Closing | None:
    """Let the name of a source behind the mark go with it: ``출처: [1] a.pdf, [7] b.pdf``."""
    line = LISTING.search(around.left)
    name = NAME.match(around.right)
    if line is None or name is None:
        return None
    if line["before"]:
        return Closing(len(line["joiner"]), name.end("name"))
    if name["joiner"]:
        return Closing(right=name.end("joiner"))
    return without(around, line.start("content"), name.end("name"))


def whole_line(around: Around) -> Closing | None:
    """Take out a line, or the end of one, that only said where something stands."""
    end = LINE_END.match(around.right)
    if end is None:
        return None
    label = SENTENCE_LABEL.search(around.left) or DASH_BEFORE.search(around.left)
    if label:
        return Closing(len(label[0]), end.end())
    line = LINE_LABEL.search(around.left) or BARE_ITEM.search(around.left)
    return None if line is None else without(around, line.start("content"), end.end())


def pointing(around: Around) -> Closing | None:
    """Take out a sentence or a bracket that only points at the mark."""
    pointed, points = POINTED.search(around.left), POINTING.match(around.right)
    if pointed is None or points is None:
        return None
    if around.left.endswith(STOPS) and around.right.startswith(tuple(BLANKS)):
        return None  # the mark closed the sentence before
    start, end = pointed.end("gap"), points.end()
    if around.left[:start].endswith("(") and around.right[end:].startswith(")"):
        start, end = start - 1, end + 1
    return without(around, start, end)


def is_noun(word: str) -> bool:
    """Tell whether a word has no particle and ends no sentence."""
    return word[-1].isalnum() and word not in _LEADS_ON and stem(word) == word


_LOOK_CHARS = 160
_CLOSER_OF = dict(zip("([（【「『", ")]）】」』", strict=True)) | {
    "**": "**",
    "__": "__",
    "<sup>": "</sup>",
    "<small>": "</small>",
}
_SUBJECT_ENDINGS = ("이", "가")
_start_of = attrgetter("start")


@dataclass(frozen=True, slots=True)
class Healing:
    """Edits that close the gaps in a text after removals.

    Attributes:
        lost: Places of marks without which their sentences have no meaning.
    """

    edits: tuple[Edit, ...]
    lost: tuple[int, ...]


def heal(text: str, places: Iterable[int], marks: Sequence[CitationMark]) -> Healing:
    """Return how a text closes up."""
    edits: list[Edit] = []
    lost: list[int] = []
    floor = 0
    for start, end, ceiling in _regions(text, places):
        closing = _closing(_around(text, start, end, marks))
        if closing is None:
            lost.append(start)
            continue
        span = Span(max(floor, start - closing.left), min(ceiling, end + closing.right))
        floor = span.end
        if closing.text or span.start < span.end:
            edits.append(Edit(span, closing.text))
    return Healing(tuple(edits), tuple(lost))


def _around(text: str, start: int, end: int, marks: Sequence[CitationMark]) -> Around:
    begin = max(0, start - _LOOK_CHARS)
    at = bisect_left(marks, start, key=_start_of)
    before = marks[at - 1].end - begin if at else -1
    behind = marks[at].start - end if at < len(marks) else _LOOK_CHARS
    return Around(
        text[begin:start],
        text[end : end + _LOOK_CHARS],
        before if before >= 0 else None,
        behind if 0 <= behind < _LOOK_CHARS else None,
    )


def _regions(text: str, places: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the stretches in which nothing but marks stood, each with where the next one begins."""
    stretches: list[list[int]] = []
    for place in sorted(set(places)):
        if stretches and ONLY_JOINS.fullmatch(text, stretches[-1][1], place):
            stretches[-1][1] = place
        else:
            stretches.append([place, place])
    for (start, end), (following, _) in pairwise([*stretches, [len(text), len(text)]]):
        yield start, end, following


def _closing(around: Around) -> Closing | None:
    for rule in (_in_brackets, listed, _joined, whole_line, pointing, _framed):
        closing = rule(around)
        if closing is not None:
            return closing
    if _is_held(around.right) and is_free_standing(around.left):
        return _held_by_the_word_before(around)
    return spaced(around)


def _in_brackets(around: Around) -> Closing | None:
    """Brackets, or signs of emphasis, that hold nothing any more."""
    opened, closed = OPENED.search(around.left), CLOSED.match(around.right)
    if opened is None or closed is None or _CLOSER_OF[opened["open"]] != closed["close"]:
        return None
    if opened["open"] == closed["close"] and not is_open(opened["open"], around.left):
        return None
    outside = around.outside(opened.start(), closed.end())
    more = _joined(outside) or whole_line(outside) or _rejoined(outside)
    gone = len(around.left) - opened.start()
    return Closing(gone + more.left, closed.end() + more.right, more.text)


def _rejoined(around: Around) -> Closing:
    """A particle behind brackets belongs to the word before them, or else all is as usual."""
    before = around.left.rstrip(BLANKS)
    if before and _is_held(around.right):
        return taken_over(around, before, len(around.left) - len(before))
    return spaced(around)


def _joined(around: Around) -> Closing | None:
    """A comma or an ``and`` that joined the mark to one that stays."""
    at = around.mark_behind
    behind = None if at is None else JOINER_BEFORE.fullmatch(around.right, 0, at)
    if behind:
        return Closing(right=behind.end("joiner"))
    at = around.mark_before
    before = None if at is None else JOINER_BEHIND.fullmatch(around.left, at)
    if before is None:
        return None
    particle = particle_at(around.right, 0)
    word = around.left[: before.start("joiner")]
    return Closing(len(before["joiner"]), len(particle), agreeing(particle, word))


def _framed(around: Around) -> Closing | None:
    """``[7]에 따르면,`` and the like, where the mark is all that it names."""
    frame = FRAME.match(around.right)
    if frame is None:
        return None
    if label := LABEL_BEFORE.search(around.left):
        return Closing(len(label[0]), frame.end())
    words = around.left.split()
    names_itself = words and is_noun(words[-1])
    if not is_free_standing(around.left) or names_itself or _is_doubtful(around.left):
        return None
    return Closing(right=frame.end())


def _held_by_the_word_before(around: Around) -> Closing | None:
    """Return how a particle that has lost its mark finds its word; None if it was the mark's own.

    ``규정 [7]은`` has a word of its own; ``근거는 [7]입니다`` has none, nor has ``출처 [7]은``.
    """
    before = around.left
    if label := LABEL_BEFORE.search(before):
        before = before[: label.start()]
    words = before.split()
    blanks = len(around.left) - len(around.left.rstrip(BLANKS))
    if not words or not blanks or not is_noun(words[-1]):
        return None
    return taken_over(around, around.left.split()[-1], blanks)


def _is_held(right: str) -> bool:
    """Tell whether a text begins with what needs a word before it: a particle, ``입니다``, ``번``.

    ``에서는`` is a particle of two; what follows a number and is no particle is a word of its own.
    """
    word = HANGUL.match(right)
    if word is None:
        return False
    return COPULA.match(right) is not None or stem(f"0{word[0]}") == "0"


def _is_doubtful(left: str) -> bool:
    """Tell whether the word before may be a noun (휴가) as well as the subject of a clause."""
    return left.rstrip(BLANKS).endswith(_SUBJECT_ENDINGS)
