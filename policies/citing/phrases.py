"""Patterns of what may stand around a citation mark and has no meaning without it.

Those named after what stands before a mark end there; those behind it are matched from its place.
"""

import re

_LABEL = (
    r"(?:출처|문서|자료|근거|참고(?:\s?(?:자료|문헌|문서))?|참조|[Ss]ources?|[Rr]ef(?:erence)?s?)"
)
_JOINER = r"(?:\s?[,、·;/&]\s?|(?:와|과|이랑|랑|하고)\s|\s(?:및|그리고|또는|and)\s)"
_MARK = r"(?:[\[【][^\[\]【】\n]{1,40}[\]】]|[¹²³⁰⁴-⁹]{1,6})"
# Between two marks that go, all of this goes with them.
ONLY_JOINS = re.compile(rf"(?:{_JOINER}|[ \t])*")
MARK_AND_JOINER = re.compile(rf"(?P<mark>{_MARK})(?P<joiner>{_JOINER})$")
JOINER_AND_MARK = re.compile(rf"(?P<joiner>{_JOINER}){_MARK}(?P<is_last>(?=[\s.!?)\]]|$)?)")
_PAGE = r"(?:\s?,\s?(?:pp?\.\s?\d{1,4}|\d{1,4}\s?(?:쪽|페이지|면)))?"
OPENED = re.compile(rf"(?P<open>[(\[（【「『]|\*\*|__)\s?(?:{_LABEL}\s?[:：]?\s?)?$")
CLOSED = re.compile(rf"{_PAGE}\s?(?:번|참조|참고)?\s?\.?\s?(?P<close>[)\]）】」』]|\*\*|__)")
LABEL_BEFORE = re.compile(
    rf"(?:(?:위|상기|해당|제공된|첨부된)\s)?(?<![가-힣A-Za-z]){_LABEL}\s?(?:[:：]\s?)?$"
)
FRAME = re.compile(
    rf"\s?(?:번)?\s?(?:{_LABEL})?"
    r"(?:에\s?(?:따르면|의하면|의거하여|의거하면|근거하여|근거하면|기초하여|기반하여|따라|의해"
    r"|(?:나온|나와\s있는|적힌|명시된|기재된|규정된|언급된)\s?(?:대로|바와\s?같이|것처럼)"
    r"|나와\s?있듯이|나오듯이|적혀\s?있듯이)"
    r"|에서\s?(?:보듯이|밝히듯이|(?:볼|알|확인할)\s수\s있듯이"
    r"|(?:밝힌|설명한|언급한|안내한|정한)\s?(?:대로|바와\s?같이))"
    r"|[을를]\s?(?:보면|참고하면|참조하면|살펴보면|바탕으로|근거로|토대로|기준으로))"
    r"[ \t]?,?[ \t]*"
)
# "자세한 내용은 [7]을 참고하세요." points at the mark and says nothing else.
POINTED = re.compile(
    r"(?:(?<=[.!?。(\n])|^)(?P<gap>[ \t]*)(?:[-*•※][ \t]*)?(?:(?:더|보다)\s)?"
    r"(?:(?:자세한|상세한|구체적인|세부|추가)\s?[가-힣 ]{0,20}[은는]\s?)?$"
)
POINTING = re.compile(
    rf"(?:번)?\s?(?:{_LABEL})?(?:[을를]|에서)?\s?(?:참조|참고|확인)"
    r"(?:하세요|해\s?주세요|하시기\s?바랍니다|하십시오|바랍니다|하시면\s?됩니다)?[.!]?(?=[\s)]|$)"
)
LINE_LABEL = re.compile(
    rf"(?:^|\n)[ \t]*(?P<content>(?:[-*•>]\s)?[*_(]{{0,3}}{_LABEL}[*_]{{0,3}}\s?[:：]"
    r"[*_]{0,3}[ \t]*)$"
)
SENTENCE_LABEL = re.compile(rf"(?<=[.!?。])[ \t]*{_LABEL}\s?[:：][ \t]*$")
BARE_ITEM = re.compile(r"(?:^|\n)[ \t]*(?P<content>(?:[-*•·>]|\d{1,3}[.)])?[ \t]*)$")
LINE_END = re.compile(rf"{_PAGE}[ \t]*[.]?[ \t]*(?=\n|$)")
_COPULA = r"(?:입니다|이다|이며|이고|임|예요|이에요|인)"
HELD = re.compile(
    r"(?:에서|에게|에는|에도|으로|부터|까지|처럼|[은는이가을를과와의에도만로])(?![가-힣])|번"
    rf"|{_COPULA}(?![가-힣])"
)
JOINS_ON = re.compile(rf"{_COPULA}(?![가-힣])|{FRAME.pattern}")
