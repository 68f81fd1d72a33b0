"""The sentences of an answer that can be true or false.

Greetings, sympathy, lead-ins of lists, advice, offers of help, abstentions, questions, headings,
frames (요금은 시기에 따라 다릅니다), code, pointers to a provision (관련 근거는 제5조입니다) or
a document (자세한 내용은 이용 규칙에 있습니다) and the list of references at the end
are none. What follows a yes (네, …) is one.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter

from guards.claims.reader import read_claims
from guards.claims.standing import asserted
from guards.text.citing.references import read_references
from guards.text.scripts import prose_only
from guards.text.sentences import Sentence, split_sentences
from guards.text.slots.citation_mark import CitationMark, read_marks

JOINS = re.compile(r"[ \t]?(?:[,、·]|및|와|과)?[ \t]?")
"""Characters allowed between adjacent marks."""
MARKUP = re.compile(r"[\s\-*•·○●▪■◦>#|_.]*")
_FRAME = re.compile(
    r"(?:번\s?)?(?:문서|자료|출처)?\s?"
    r"(?:에\s?(?:따르면|따라서?|의하면|의해서?|의거하여|근거하여|근거해)[ ,]*"
    r"|에서[는도]?(?![가-힣])"
    r"|[은는이가](?![가-힣]))"
)
_BLANKS = re.compile(r"[ \t]+")
_BLANK_BEFORE_STOP = re.compile(r" (?=[.,!?])")
_start_of = attrgetter("start")


def plain_text(raw: str, start: int, end: int, marks: Sequence[CitationMark]) -> str:
    """Return a piece of an answer without its marks.

    Args:
        raw: The answer.
        start: Where the piece begins.
        end: Where it ends.
        marks: Marks of the answer, in order. Of one that opens the piece as a word
            (``[2]에 따르면``) the words that hang on it go too.
    """
    pieces: list[str] = []
    position = start
    opens = True
    first = bisect_left(marks, start, key=_start_of) if marks else 0
    last = bisect_left(marks, end, first, key=_start_of) if marks else 0
    for mark in marks[first:last]:
        before = raw[position : mark.start]
        is_joined = bool(pieces) and JOINS.fullmatch(before) is not None
        opens = opens and (is_joined or MARKUP.fullmatch(before) is not None)
        pieces += ["" if is_joined else before, mark.wrapped]
        frame = _FRAME.match(raw, mark.end) if mark.is_word and opens else None
        position = frame.end() if frame else mark.end
    pieces.append(raw[position:end])
    plain = "".join(pieces)
    if "  " in plain or "\t" in plain:
        plain = _BLANKS.sub(" ", plain)
    return _BLANK_BEFORE_STOP.sub("", plain).strip()


_ANSWERS_KEPT = 4
_SENTENCES_KEPT = 1024
_BARE_KEPT = 64
_MARKUP = re.compile(r"^[ \t]*(?:[-*•·○●▪■◦>#]+[ \t]*)*(?:\d{1,3}[.)][ \t])?[*_]{0,3}")
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|[*_]{2}[^*_]{1,60}[*_]{2}:?$|\|?[ \t:|-]+$)")
_REFERENCE_LINE = re.compile(r"^[ \t]*(?:[-*][ \t]*)?(?:\[[†^]?\d{1,3}\]|【\d{1,3}】)[ \t:]")
# What the answer says of itself: what it reckoned with, or that the sources go no further.
_OF_ITSELF = re.compile(
    r"^(?:(?:참고로|다만|단)[, ]\s?)?(?:이|위|본|상기|이상의?|해당)\s?"
    r"(?:금액|요금|비용|계산|결과|값|수치|답변|안내|설명|내용|정보)(?:[은는]|에는?)\s"
    r"(?:[^\n.]{0,60}만(?:을)?\s?(?:계산|반영|적용|기준|바탕|근거|참고)"
    r"|[^\n.]{0,40}(?:자료|문서|안내문?|규정|단가|기준)(?:[을를]|에)?\s?(?:만\s?)?"
    r"(?:기준|바탕|근거|토대|한정)"
    r"|[^\n.]{0,60}(?:포함|반영|고려|계산|감안)하지\s?않(?:은\s(?:것|값|금액)|았|고\s계산))"
)
_POINTS_DOWN = re.compile(
    r"(?<![가-힣])(?:아래(?![층쪽])|다음(?!\s?(?:날|달|주|해|년|번|학기|영업일|호선|역)))"
    r"|(?<![가-힣])(?:두|세|네|다섯)\s?(?:가지|곳|경우)"
)
# What tells something of its own, although a list comes behind it.
_TELLS = re.compile(r"\d|수(?:는|가|도)?\s?[있없]|지(?:는|도)?\s?(?:않|못)|금지|불가|안\s?[되됩돼]")
_TELLS_STEPS = re.compile(
    r"(?:다음|아래)(?:의|와\s같은)?\s?(?:순서|절차|방법|단계)(?:대로|으?로|를|에)"
    r"[^.\n]{0,20}수\s?있(?:습니다|어요)[.:]?$"
)
_LIST_BEHIND = re.compile(
    r"[ \t]*\n\s*(?:[-*+•·○●▪■◦>|#①-⑳☎✅]|[*_]{0,2}\d{1,2}[.)\ufe0f\u20e3]|[가-하][.)]\s|```|~~~)"
)
_TABLE_RULE_BEHIND = re.compile(r"[ \t]*\n[ \t]*\|?[ \t]*:?-{2,}[ \t:|-]*(?:\n|$)")
_YES_OR_NO = re.compile(r"^(?:네|예|아니[요오])[,.!][ \t]*(?=\S)")
_POINTER = re.compile(
    r"^[(\[]*(?:관련\s?)?(?:근거|출처|참조|참고)\s?(?:규정|법령|조항|조문|자료|문서)?\s?"
    r"(?::|[은는]\s[^\n]{1,120}입니다[.]?[)\]]*$)"
)
_ENDS_OPEN = re.compile(r"[?:]\s*$")
_ATTRIBUTION = re.compile(
    r"^(?:제공(?:된|해\s?주신)|주어진|관련|해당)?\s?(?:자료|문서|규정|규칙|내용|출처)[가-힣]{0,4}\s?"
    r"(?:따르면|의하면|기준으로)[ ,]*"
)
_OPENINGS = (_MARKUP, _YES_OR_NO, _ATTRIBUTION)


# The guards ask for the claims of one answer one after the other.
@lru_cache(maxsize=_ANSWERS_KEPT)
def claims(answer: str) -> tuple[Sentence, ...]:
    """Return the claims of an answer, in order, with their spans in the answer."""
    prose = prose_only(answer)
    references = read_references(answer)
    end = references.start if references else len(prose)
    marks = read_marks(answer)
    sentences = (
        (sentence, plain_text(answer, sentence.start, sentence.end, marks))
        for sentence in split_sentences(answer)
        if sentence.start < end and prose[sentence.start : sentence.end].strip()
    )
    judged: dict[str, bool] = {}
    found: list[Sentence] = []
    for sentence, plain in sentences:
        if plain not in judged:
            judged[plain] = _is_claim(plain)
        is_reference = _REFERENCE_LINE.match(sentence.text) is not None
        if judged[plain] and not (is_reference or _leads_in(sentence, plain, answer)):
            found.append(sentence)
    return tuple(found)


def may_lead_in(claim: Sentence, answer: str) -> bool:
    """Tell whether the last claim of an answer is none if a list or a table comes behind it."""
    if answer[claim.end :].strip():
        return False
    if claim.text.startswith("|"):
        # A row that stands right below another one is the head of no table.
        above = answer[: claim.start].rstrip(" \t").removesuffix("\n")
        return not above.rstrip(" \t\r").endswith("|")
    return _points_at_list(plain_text(answer, claim.start, claim.end, read_marks(answer)))


# Several guards ask for the same claim, one after the other.
@lru_cache(maxsize=_BARE_KEPT)
def bare_claim(sentence: str) -> str:
    """Return a claim without list markup, a yes or no, and words like ``제공된 자료에 따르면,``."""
    for opening in _OPENINGS:
        if found := opening.match(sentence):
            sentence = sentence[found.end() :]
    return sentence.strip()


# An answer that is written is looked at again with each further sentence.
@lru_cache(maxsize=_SENTENCES_KEPT)
def _is_claim(sentence: str) -> bool:
    if not sentence or _HEADING.match(sentence) or _ENDS_OPEN.search(sentence):
        return False
    if sentence.startswith("|"):
        return True
    bare = bare_claim(sentence)
    if _OF_ITSELF.match(bare) or _POINTER.match(bare):
        return False
    return next(asserted(read_claims(bare)), None) is not None


def _leads_in(sentence: Sentence, plain: str, answer: str) -> bool:
    """Tell whether a sentence, here without marks, only opens the list, table or code behind it."""
    if sentence.text.startswith("|"):
        return _TABLE_RULE_BEHIND.match(answer, sentence.end) is not None
    has_list = _LIST_BEHIND.match(answer, sentence.end) is not None
    return has_list and _points_at_list(plain)


def _points_at_list(plain: str) -> bool:
    points = _POINTS_DOWN.search(plain) and not _TELLS.search(plain)
    return bool(points or _TELLS_STEPS.search(plain))


_YES = re.compile(r"^[ \t]*(?:네|예)[,.!]?[ \t]+(?=\S)", re.MULTILINE)


def statements(answer: str) -> tuple[Sentence, ...]:
    """Return the claims of an answer, in order, with their spans in the answer."""
    return claims(_YES.sub(lambda yes: " " * len(yes[0]), answer))
