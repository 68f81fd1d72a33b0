"""Answers that say they cannot answer (``제공된 자료에서 확인되지 않습니다``).

A closed set of Korean phrasings. An answer abstains if one of its sentences says so and all others
only keep it company: an apology, advice to ask elsewhere, an offer to help. One that goes on with a
fact of its own does not abstain.
"""

import re

from guards.text.sentences import split_sentences

_CANNOT = (
    # 찾을 수 없, 답변드리기 어렵, 안내가 불가능하
    r"(?:찾|확인|파악|특정|판단|답변?|대답|안내|설명|말씀)[가-힣]{0,4}\s?"
    r"(?:수(?:가|는)?\s?없|지(?:는)?\s?못|어렵|어려|힘들|곤란|불가)"
    # 확인되지 않, 명시되어 있지 않, 나와 있지 않
    r"|(?:확인|명시|언급|기재|제시|검색|포함|규정|제공|파악)되(?:어\s?있)?지(?:는)?\s?않"
    r"|(?:나와|들어|실려|나타나)\s?있지(?:는)?\s?않|나오지(?:는)?\s?않|알\s?수(?:가|는)?\s?없|알지\s?못|모르"
    # 관련 규정이 없; without the first word it may be a fact (벌칙 규정이 없다)
    r"|(?:관련|해당|제공|주어진|자료|문서)[^.!?\n]{0,30}"
    r"(?:정보|내용|자료|문서|규정|근거|기준|설명|언급|조항|결과)[은는이가도]?\s?(?:없|부족|불충분)"
)
# The sentence must end there, or go on to advice: 확인되지 않은 금액은 환불됩니다 is no abstention.
_CLOSES = r"[가-힣]{0,6}(?:\s(?:상태|것으로|점)[가-힣 ]{0,10})?(?:[\s.!…~)]|\[[^\]\n]{1,80}\])*\Z"
_ABSTAINS = re.compile(rf"(?:{_CANNOT}){_CLOSES}")
_GOES_ON = re.compile(rf"(?:{_CANNOT})(?:아서?|어서?|으므로|으니|습니다만|지만)")
# Every phrasing of `_CANNOT` has one of these.
_NEGATES = re.compile(r"없|못|어[렵려]|힘들|곤란|불[가충]|않|모르|부족")
_COMPANY = re.compile(
    r"죄송|송구|미안|양해|감사|안녕하|문의|연락|상담|도와\s?드리|도움|궁금"
    r"|다시\s?(?:질문|말씀|확인|시도)"
    r"|(?:말씀|알려|질문|제공|첨부|확인|참고|검토|업로드|검색)[가-힣]{0,2}\s?(?:주시|주세요|주십|보시|보세요|바랍|부탁)"
)


def is_abstention(answer: str) -> bool:
    """Tell whether an answer says nothing but that it cannot answer."""
    if not _NEGATES.search(answer):
        return False
    sentences = [sentence.text for sentence in split_sentences(answer)]
    abstains = [_abstains(sentence) for sentence in sentences]
    return any(abstains) and all(
        abstaining or _COMPANY.search(sentence)
        for abstaining, sentence in zip(abstains, sentences, strict=True)
    )


def _abstains(sentence: str) -> bool:
    if _ABSTAINS.search(sentence):
        return True
    return bool(_GOES_ON.search(sentence) and _COMPANY.search(sentence))
