"""Which foreign scripts a question asks for (``중국어로 번역해 주세요``, ``한자로 써 줘``).

A language that is only mentioned (``중국어 통역이 되나요?``, ``영어로 된 서류를 알려 주세요``) or
refused (``영어로 답하지 마세요``) is not asked for. Who asks for an original (``원문 그대로 인용해
주세요``) names no script, and it may be Korean: that licenses quotations only.
"""

import re

from guards.text.writing.scripts import Script

_HAN = frozenset({Script.HAN})
_JAPANESE = frozenset({Script.HAN, Script.KANA})
_LATIN = frozenset({Script.LATIN})
_LETTERS = frozenset({Script.CYRILLIC, Script.OTHER, Script.LATIN})
_SCRIPTS_OF = {
    **dict.fromkeys(("중국어", "중문", "한문", "한자", "간체", "번체", "chinese"), _HAN),
    **dict.fromkeys(("일본어", "일어", "일문", "히라가나", "가타카나", "japanese"), _JAPANESE),
    **dict.fromkeys(("영어", "영문", "english"), _LATIN),
    **dict.fromkeys(("러시아어", "우크라이나어", "몽골어", "베트남어", "태국어"), _LETTERS),
    **dict.fromkeys(("프랑스어", "독일어", "스페인어", "아랍어", "힌디어", "네팔어"), _LETTERS),
    **dict.fromkeys(("외국어", "원어", "현지어"), _LETTERS | _JAPANESE),
}
_NAME = re.compile("|".join(_SCRIPTS_OF), re.IGNORECASE)
_REST_CHARS = 40
_WRITE = r"[^.?!\n]{0,20}?(?:번역|통역|옮|바꿔|바꾸|써|쓰|적|표기|병기|답|말|작성|표현)"
# Here an object may stand between (영어로 상담할 곳을 알려 주세요), hence the short gap.
_TELL = r"[^.?!\n]{0,5}?(?:알려|설명|안내|정리|요약)"
_PLEASE = (
    r"(?:[^.?!\n]{0,6}?(?:줘|주세요|주십|주시|주실|줄래|줄\s수|달라|부탁|바랍|하라|해라|세요|시오)"
    r"|해\s*[.!?]?\s*\Z)"
)
# A word in 는, 된, 인 after the name describes what is already in that language (영어로 된 서류).
_IN_IT = r"(?:자)?(?:으로|로)(?!\s?\S{0,6}(?:[는된인힌]|되어|돼)\s)(?:도|만|는)?"
_ASKED = re.compile(
    rf"{_IN_IT}(?:{_WRITE}|{_TELL}){_PLEASE}"
    rf"|{_IN_IT}\s?(?:뭐|뭘|무엇|무슨|어떻게|뭔)"
    rf"|(?:를|을|도|와|과)?\s?(?:같이|함께|병기)[^.?!\n]{{0,10}}?{_PLEASE}"
    r"|\s?(?:표기|표현|번역|번역본|번역문|발음)[을를은는이가도]?\s?(?:알려|부탁|해\s?줘|해\s?주|뭐|무엇|어떻게)"
    r"|(?<=한자)[를는가]?\s?(?:알려|뭐|무엇|써|적어|어떻게)"
)
_ASKED_IN_ENGLISH = re.compile(r"\b(?:in|into)\s(english|chinese|japanese)\b", re.IGNORECASE)
_ORIGINAL = re.compile(
    r"원문(?:[은이]?\s?(?:뭐|뭔|무엇|어떻게)"
    rf"|[^.?!\n]{{0,25}}?(?:인용|보여|알려|써|적어|제시|옮겨|들려|읽어|표기|병기){_PLEASE})"
)
_TRANSLATED = re.compile(
    r"(?:번역|해석|풀이|설명|요약)[하해한]|(?:한글|한국어|우리말|쉬운\s?말)로|풀어"
)
_REFUSED = re.compile(r"지\s?(?:마|말|않)|말고|금지|없이")


def requested_scripts(question: str) -> frozenset[Script]:
    """Return the scripts beside Hangul in which the question wants its answer."""
    requested: set[Script] = set()
    for name in _NAME.finditer(question):
        rest_end = name.end() + _REST_CHARS
        request = _ASKED.match(question, name.end(), rest_end)
        if request and not _REFUSED.search(question, name.end(), request.end() + 6):
            requested |= _SCRIPTS_OF[name[0].lower()]
    for match in _ASKED_IN_ENGLISH.finditer(question):
        requested |= _SCRIPTS_OF[match[1].lower()]
    return frozenset(requested)


def asks_for_original(question: str) -> bool:
    """Tell whether a question wants a text in the words in which it was written."""
    return any(
        not _TRANSLATED.search(request[0]) and not _REFUSED.search(request[0])
        for request in _ORIGINAL.finditer(question)
    )
