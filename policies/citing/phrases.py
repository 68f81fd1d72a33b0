"""Patterns of what may stand around a citation mark and has no meaning without it.

Those named after what stands before a mark end there; those behind it are matched from its place.
"""

import re

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
