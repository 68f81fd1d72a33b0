"""The sentences of an answer that can be true or false.

Greetings, sympathy, lead-ins of lists, advice, offers of help, abstentions, questions, headings,
frames (요금은 시기에 따라 다릅니다), code, pointers to a provision (관련 근거는 제5조입니다) or
a document (자세한 내용은 이용 규칙에 있습니다) and the list of references at the end
are none. What follows a yes (네, …) is one.
"""

import re
from functools import lru_cache

from guards.claims.standing import abstains
from guards.text.citing.plain import plain_text
from guards.text.citing.references import read_references
from guards.text.scripts import prose_only
from guards.text.sentences import Sentence, split_sentences
from guards.text.slots.citation_mark import read_marks

_ANSWERS_KEPT = 4
_SENTENCES_KEPT = 256
_BARE_KEPT = 64
_MARKUP = re.compile(r"^[ \t]*(?:[-*•·○●▪■◦>#]+[ \t]*)*(?:\d{1,3}[.)][ \t])?[*_]{0,3}")
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|[*_]{2}[^*_]{1,60}[*_]{2}:?$|\|?[ \t:|-]+$)")
_REFERENCE_LINE = re.compile(r"^[ \t]*(?:[-*][ \t]*)?(?:\[[†^]?\d{1,3}\]|【\d{1,3}】)[ \t:]")
_PLEASANTRY = re.compile(
    r"^(?:안녕하|반갑|감사|물론|알겠습니다|죄송|송구|불편을\s?드려|(?:네|예)[.!]?$)"
    r"|셔서\s?(?:(?:정말|진심으로|대단히|매우|항상)\s){0,2}(?:감사|고맙)[가-힣]{1,4}[.!~]*$"
    r"|(?:궁금(?:하신|한)|추가\s?(?:문의|질문)|다른\s?(?:문의|질문|점)|더\s?필요하신|도움이\s?(?:필요|되))"
    r"[^.!?]{0,40}(?:있으[시면신]|주세요|주시|말씀|바랍니다|바라|드리겠|문의|물어|까요)"
    r"|(?:안내|답변|설명|정리|요약|비교|소개|추천)(?:해\s?)?\s?"
    r"(?:드리겠습니다|드립니다|드릴게요|드려요|하겠습니다)[.!]?$"
    r"|(?:알려|살펴\s?봐|말씀해?)\s?(?:드리겠습니다|드릴게요)[.!]?$"
    r"|^(?:이상으로|이상)(?:입니다|이에요|[가-힣 ]{0,12}마치겠습니다)"
    r"|(?:다음과|아래와)\s?같(?:습니다|아요|이\s?[가-힣 ]{1,12}(?:습니다|니다))[.:]?$"
    r"|(?:문의|연락|상담|확인|참고|참조)[가-힣]{0,3}\s?"
    r"(?:주세요|주십시오|주시[기면]|하세요|하십시오|보세요|바랍니다|부탁드립니다)"
    r"|(?:도움이\s?되(?:셨|었|길|시길)|좋은\s?하루)"
    r"|(?:즐거운|행복한|편안한|건강한|따뜻한|좋은|안전한|유익한|뜻깊은)\s(?:[가-힣]{1,10}\s){1,2}"
    r"(?:되세요|보내세요|(?:되|보내|하)시[길기])(?:\s?바랍니다|\s?바라요)?[.!]*$"
)
_SYMPATHY = re.compile(
    r"^삼가\s|명복을|쾌유를|위로의\s?(?:말씀|마음)|축하(?:드립니다|드려요|합니다)[.!]*$"
    r"|[셨시]겠(?:습니다|어요|네요|군요)[.!~ㅠ]*$|(?:걱정|염려)(?:하지)?\s?(?:마세요|마십시오)[.!]*$"
    r"|기다리(?:시게|게)\s?해|심려를\s?끼쳐"
    r"|(?:안타깝|안타까운|유감스럽|마음이\s(?:아프|무겁|무거)|마음\s?아프)[가-힣]{0,4}"
    r"(?:\s(?:생각|마음|느)[가-힣]{0,4})?(?:니다|아요|어요|네요|워요)[.!~ㅠ]*$"
    r"|유감입니다[.]?$"
    r"|(?:속상|답답|당황|불안|놀라|힘드|불편하|걱정|염려|아쉬우|막막)[가-힣]{0,2}[셨실][가-힣]{0,3}"
    r"(?:\s(?:것|거)[가-힣]{0,2}(?:\s(?:같|생각|압니다|예상)[가-힣]{0,4})?"
    r"|\s(?:이해|공감|짐작|생각)[가-힣]{1,4})?[.!~ㅠ]*$"
    r"|(?:마음|심정|점|상황|처지|아픔|슬픔)[을를에]?\s(?:(?:충분히|깊이|십분|진심으로|잘)\s)?"
    r"(?:이해|공감|헤아)[가-힣]{1,4}[.!]*$"
)
# What the answer says of itself: what it reckoned with, or that the sources go no further.
_OF_ITSELF = re.compile(
    r"^(?:(?:참고로|다만|단)[, ]\s?)?(?:이|위|본|상기|이상의?|해당)\s?"
    r"(?:금액|요금|비용|계산|결과|값|수치|답변|안내|설명|내용|정보)(?:[은는]|에는?)\s"
    r"(?:[^\n.]{0,60}만(?:을)?\s?(?:계산|반영|적용|기준|바탕|근거|참고)"
    r"|[^\n.]{0,40}(?:자료|문서|안내문?|규정|단가|기준)(?:[을를]|에)?\s?(?:만\s?)?"
    r"(?:기준|바탕|근거|토대|한정)"
    r"|[^\n.]{0,60}(?:포함|반영|고려|계산|감안)하지\s?않(?:은\s(?:것|값|금액)|았|고\s계산))"
)
_NOT_IN_SOURCES = re.compile(
    r"(?:정보|내용|규정|기준|언급|설명|조건|사항|여부|금액)[은는이가도]\s[^\n,.]{0,16}"
    r"(?:자료|문서|안내문?|출처|규정|내용)에(?:는|서는|도)?\s"
    r"(?:[가-힣]{1,4}\s){0,2}(?:없|(?:나와|실려|적혀|들어)\s?있지\s?않)[가-힣]{1,4}"
    r"[\s.\[\]\d]*$"
)
_ADVICE = re.compile(
    r"(?:시|하)는\s?(?:것이|것도|게|편이)\s?(?:가장\s?|더\s?)?좋(?:습니다|아요|겠습니다|겠어요)[.!]?$"
    r"|(?:[시하]길|[시하]기를?|[시하]는\s?것을)\s?(?:적극\s?)?"
    r"(?:권장|추천|권유|권고|권)(?:해\s?)?\s?(?:합니다|해요|드립니다|드려요)[.!]?$"
    r"|(?:유의|주의|유념)(?:해\s?주세요|해\s?주십시오|하세요|하십시오|하시기\s?바랍니다)[.!]?$"
)
_FRAME = re.compile(
    r"에\s?따라\s(?:[가-힣]{1,10}\s){0,3}"
    r"(?:다릅니다|다르며|달라요|달라집니다|달라져요|상이합니다|나뉩니다)[.!]?$"
    r"|(?:두|세|네|몇|여러)\s?(?:가지|경우)[가-힣 ]{0,12}"
    r"(?:나뉩니다|나뉘어요|구분됩니다|있습니다)[.!]?$"
    r"|(?:동일한|같은|똑같은)\s(?:기준|규정|절차)[이을에]?\s(?:적용됩니다|적용돼요|따릅니다)[.!]?$"
    r"|달라질\s?수\s?(?:도\s?)?있(?:습니다|어요|으니)"
)
_SAYS_NOTHING = (_ADVICE, _FRAME, _OF_ITSELF, _NOT_IN_SOURCES)
# Of each way to be kind some piece, which most sentences have not, and what others begin with.
_MAY_BE_KIND = re.compile(
    "셔서|궁금|추가|다른|필요하신|도움이|드리겠|드립니다|드릴게|드려요|하겠습|다음과|아래와"
    "|주세요|주십시|주시|하세요|하십시|보세요|바랍|부탁|즐거운|행복한|편안한|건강한|따뜻한|좋은"
    "|안전한|유익한|뜻깊은|명복|쾌유|위로|축하|시겠|셨겠|걱정|염려|기다리|심려|안타|유감|마음"
    "|속상|답답|당황|불안|놀라|힘드|불편하|아쉬우|막막|이해|공감|헤아"
)
_BEGINS_KIND = ("안", "반", "감", "물", "알", "죄", "송", "불", "네", "예", "이", "삼")
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
_POINTS_AWAY = re.compile(
    r"^(?:더\s|보다\s)?(?:자세한|상세한|구체적인|관련|추가|이|위|해당|같은)\s?"
    r"(?:내용|사항|정보|기준|절차|근거)[은는이도]\s[^\n,]{1,60}에(?:서|도|서도|서는|는)?\s"
    r"(?:있|나와\s있|나옵|나오|(?:실려|적혀|담겨|정해져|안내되어|명시되어|규정되어)\s있"
    r"|(?:보실|찾으실|(?:확인|조회|열람)하실|(?:확인|조회|열람)할|볼)\s수\s있)"
    r"(?:습니다|어요|니다|고요)[\s.\[\]\d,†^]*$"
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
    bare = bare_claim(sentence)
    says_nothing = _is_kind(bare) or any(pattern.search(bare) for pattern in _SAYS_NOTHING)
    points = _POINTER.match(bare) or _POINTS_AWAY.match(bare)
    return not (says_nothing or points or abstains(sentence))


def _is_kind(bare: str) -> bool:
    """Tell whether a sentence greets, thanks, announces, offers help or feels with the asker."""
    if not (_MAY_BE_KIND.search(bare) or bare.startswith(_BEGINS_KIND)):
        return False
    return bool(_PLEASANTRY.search(bare) or _SYMPATHY.search(bare))


def _leads_in(sentence: Sentence, plain: str, answer: str) -> bool:
    """Tell whether a sentence, here without marks, only opens the list, table or code behind it."""
    if sentence.text.startswith("|"):
        return _TABLE_RULE_BEHIND.match(answer, sentence.end) is not None
    has_list = _LIST_BEHIND.match(answer, sentence.end) is not None
    return has_list and _points_at_list(plain)


def _points_at_list(plain: str) -> bool:
    points = _POINTS_DOWN.search(plain) and not _TELLS.search(plain)
    return bool(points or _TELLS_STEPS.search(plain))
