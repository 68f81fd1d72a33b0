"""The sentences of an answer that can be true or false.

Greetings, lead-ins, advice to ask elsewhere, offers of help, abstentions, questions, headings,
code, pointers to a provision (관련 근거는 제5조입니다) and the list of references at the end are
none.
"""

import re

from guards.text.abstention import is_abstention
from guards.text.scripts import prose_only
from guards.text.sentences import Sentence, split_sentences

_MARKUP = re.compile(r"^[ \t]*(?:[-*•·○●▪■◦>#]+[ \t]*)*(?:\d{1,3}[.)][ \t])?[*_]{0,3}")
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|[*_]{2}[^*_]{1,60}[*_]{2}:?$|\|?[ \t:|-]+$)")
_REFERENCES = re.compile(
    r"^[ \t#*_]*(?:참고\s?(?:자료|문헌)|출처|인용|근거\s?자료|References?|Sources?)"
    r"[ \t*_]*:?[ \t*_]*$",
    re.IGNORECASE | re.MULTILINE,
)
_REFERENCE_LINE = re.compile(r"^[ \t]*(?:[-*][ \t]*)?(?:\[[†^]?\d{1,3}\]|【\d{1,3}】)[ \t:]")
_PLEASANTRY = re.compile(
    r"^(?:안녕하|반갑|감사|네[,.! ]|예[,.! ]|물론|알겠습니다|죄송|송구|불편을\s?드려)"
    r"|(?:궁금(?:하신|한)|추가\s?(?:문의|질문)|다른\s?(?:문의|질문|점)|더\s?필요하신|도움이\s?(?:필요|되))"
    r"[^.!?]{0,40}(?:있으[시면신]|주세요|주시|말씀|바랍니다|바라|드리겠|문의|물어|까요)"
    r"|(?:안내|답변|설명|정리|요약)(?:해\s?)?\s?(?:드리겠습니다|드립니다|드릴게요|하겠습니다)[.!]?$"
    r"|^(?:이상으로|이상)(?:입니다|이에요|[가-힣 ]{0,12}마치겠습니다)"
    r"|(?:다음과|아래와)\s?같(?:습니다|아요|이\s?[가-힣 ]{1,12}(?:습니다|니다))[.:]?$"
    r"|(?:문의|연락|상담|확인|참고|참조)[가-힣]{0,3}\s?"
    r"(?:주세요|주십시오|주시[기면]|하세요|하십시오|바랍니다|부탁드립니다)"
    r"|(?:도움이\s?되(?:셨|었|길|시길)|좋은\s?하루)"
)
_POINTER = re.compile(
    r"^[(\[]*(?:관련\s?)?(?:근거|출처|참조|참고)\s?(?:규정|법령|조항|조문|자료|문서)?\s?"
    r"(?::|[은는]\s[^\n]{1,120}입니다[.]?[)\]]*$)"
)
_ENDS_OPEN = re.compile(r"[?:]\s*$")
_ATTRIBUTION = re.compile(
    r"^(?:제공(?:된|해\s?주신)|주어진|관련|해당)?\s?(?:자료|문서|규정|규칙|내용|출처)[가-힣]{0,4}\s?"
    r"(?:따르면|의하면|기준으로)[ ,]*"
)


def claims(answer: str) -> tuple[Sentence, ...]:
    """Return the claims of an answer, in order, with their spans in the answer."""
    prose = prose_only(answer)
    references = _REFERENCES.search(prose)
    end = references.start() if references else len(prose)
    return tuple(
        sentence
        for sentence in split_sentences(answer)
        if sentence.start < end
        and prose[sentence.start : sentence.end].strip()
        and _is_claim(sentence.text)
    )


def bare_claim(sentence: str) -> str:
    """Return a claim without list markup and without words like ``제공된 자료에 따르면,``."""
    return _ATTRIBUTION.sub("", _MARKUP.sub("", sentence)).strip()


def _is_claim(sentence: str) -> bool:
    if _HEADING.match(sentence) or _REFERENCE_LINE.match(sentence) or _ENDS_OPEN.search(sentence):
        return False
    bare = bare_claim(sentence)
    return not (_PLEASANTRY.search(bare) or _POINTER.match(bare) or is_abstention(sentence))
