"""Sentences around a context block: which of them tell the model what to do.

A passage may tell its reader what to do as well ("담당자에게 문의하세요"), so an instruction counts
only if it speaks of answering, or points at the context ("위 자료", "the context above").
"""

import re
from collections.abc import Callable

_CONTEXT_NOUN = (
    r"(?:자료|문서|문맥|맥락|컨텍스트|콘텍스트|규정|지식|근거|법령|조문|지문|본문|발췌|출처|참고|정보|내용|"
    r"검색\s?결과|데이터|판례|텍스트|글|context|documents?|passages?|sources?|materials?|excerpts?|"
    r"references?|information|knowledge|resources?|snippets?|chunks?|articles?|evidence|text|results|"
    r"资料|文档|知识|信息|上下文|内容)"
)
_FOLLOWS = r"(?:다음|아래|이하)"
_ENGLISH_FOLLOWS = r"(?:here\s(?:is|are)|below\s(?:is|are)|following\s(?:is|are)|\bfound)"
_USED = re.compile(
    r"답|응답|참고|참조|사용|활용|바탕|기반|근거|토대|이용|보고|읽고|의거|따라|answer|use|using|based|respond|"
    r"given|refer|rely|consult|here\s(?:is|are)|(?:is|are)\sbelow|below\s(?:is|are)|cite|with|from|"
    r"使用|根据|参考|回答|基于",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    rf"(?:{_FOLLOWS}|하단|제공된|주어진|검색된|첨부된|조회된)[^\n]{{0,30}}?{_CONTEXT_NOUN}"
    rf"|(?:following|below|provided|given|retrieved|these|this|以下|下面)[^\n]{{0,60}}?{_CONTEXT_NOUN}"
    rf"|{_CONTEXT_NOUN}[^\n]{{0,40}}?(?:below|provided|following|아래)"
    rf"|here\s(?:is|are)[^\n]{{0,60}}?{_CONTEXT_NOUN}",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(
    rf"{_FOLLOWS}[^\n]{{0,40}}?{_CONTEXT_NOUN}(?:들)?\s?(?:입니다|이다|이에요|예요|임)"
    rf"|{_CONTEXT_NOUN}(?:들)?[은는이가를을]?\s?"
    r"(?:다음과\s같|아래와\s같|찾았습니다|조회했습니다|검색했습니다)"
    rf"|(?:{_FOLLOWS}|following|below|these|provided)[^\n]{{0,60}}{_CONTEXT_NOUN}(?:들)?[:：]$"
    rf"|{_ENGLISH_FOLLOWS}\b[^\n]{{0,60}}{_CONTEXT_NOUN}"
    rf"|{_CONTEXT_NOUN}\s(?:is|are)\s(?:below|as\sfollows|provided)"
    rf"|(?:以下|下面)(?:是|为)[^\n]{{0,20}}{_CONTEXT_NOUN}",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"(?:(?:위|이|상기|해당|앞의|제공된|주어진)\s?(?:의\s|에\s제공된\s|에서\s제공된\s)?"
    rf"(?:[가-힣A-Za-z]{{1,8}}\s){{0,2}}{_CONTEXT_NOUN}"
    rf"|(?:above|provided|given|this|these|the|new)\s(?:\w{{1,12}}\s){{0,2}}{_CONTEXT_NOUN}"
    rf"|(?:上述|以上){_CONTEXT_NOUN})",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(
    rf"(?:the\s)?above\s(?:is|are)\b[^\n]{{0,40}}{_CONTEXT_NOUN}"
    rf"|(?:위|이상)[은는이가]?\s[^\n]{{0,30}}{_CONTEXT_NOUN}(?:들)?(?:입니다|이다|임)",
    re.IGNORECASE,
)
_ANSWERING = re.compile(
    r"답변|답하|답해|답을|대답|응답|모른다고|모르면|추측하지|지어내|만들어\s?내|출처를|인용|컨텍스트|"
    r"사용자\s메시지|\buser\smessage|"
    r"\banswer|\brespond|\breply|\bquestion|\bquery|\bcontext|\bcite|\bsources?\b|don'?t know|"
    r"\bsay so|\bsay that|make up|prior knowledge|回答|问题",
    re.IGNORECASE,
)
_ORDER_END = re.compile(
    r"(?:세요|십시오|시오|하라|해라|하되|[하할]\s?것|말\s?것|마라|말아라|바랍니다|해\s?줘|줘|답하기|쓰기|않기|금지|"
    r"(?:답|답변|응답)해|지\s?마)[.!\s\"'」:：)]*$"
)
_STATEMENT_END = re.compile(r"(?:한다|합니다|됩니다|입니다|이다)[.!\s\"'」)]*$")
_STATED = re.compile(
    r"답변|답한다|답합니다|답해야|모른다고|추측|컨텍스트|도우미|챗봇|비서|어시스턴트|상담원|전문가|assistant|AI"
)
_ENGLISH_ORDER = re.compile(
    r"\s*[-*•\d.)]*\s*(?:answer|use|given|if|do|don'?t|please|respond|reply|cite|always|never|only|"
    r"based|provide|keep|write|generate|you|your|remember|make|avoid|say|refine|when|be|note|follow|"
    r"using|the (?:above|context)|now|and|think|context)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\s*(?:(?:당신|귀하|너|나|저)(?:은|는|의)|넌|난|you\sare|you're|your\s(?:role|task|name|job)|"
    r"act\sas|as\san?\s|some\srules)\b",
    re.IGNORECASE,
)
_PERSONA = re.compile(
    r"(?:직원|도우미|챗봇|봇|비서|상담사|상담원|안내원|전문가|매니저|어시스턴트|AI)"
    r"(?:입니다|이다|이야|야|예요|이에요)[.!]?\s*$"
)
# The whole sentence has to say it: a privacy policy speaks of what users provide, too.
_ELSEWHERE = re.compile(
    r"(?:[가-힣]{1,8}(?:은|는|이|가)\s)?(?:(?:아래|다음)\s)?(?:사용자|유저)(?:의|가\s보낸)?\s?"
    r"(?:메시지|질문|입력|턴)(?:에|와|에서|의)?\s[^\n.]{0,20}"
    r"(?:있습니다|있다|있음|(?:포함|제공|첨부|전달)(?:됩니다|된다|됨|합니다)?|주어집니다|참조|참고)[.]?"
    r"|(?:[가-힣]{1,8}(?:은|는)\s)?(?:사용자|유저)가\s(?:[가-힣]{1,6}\s)?"
    r"(?:제공|첨부|전달)(?:합니다|한다|함)[.]?"
    r"|(?:(?:it|they|(?:the\s)?\w{1,12})\s(?:is|are|will\sbe|comes?)\s(?:\w{1,12}\s)?)?"
    r"(?:in|with|by)\sthe\s(?:next\s)?user(?:'s)?(?:\s(?:message|turn|prompt|input))?[.]?"
    r"|the\suser(?:'s)?\s(?:message|turn|prompt|input)\s"
    r"(?:contains|holds|has|includes|brings|provides)\s(?:the\s)?\w{1,12}[.]?",
    re.IGNORECASE,
)
_LONGEST_REFERRAL_CHARS = 120
_PLACED = re.compile(rf"{_FOLLOWS}|하단|following|below|these|以下|下面", re.IGNORECASE)
_AHEAD = re.compile(
    rf"(?:^|\s){_FOLLOWS}(?:만|을|를|의\s것|에\s(?:있는|나온|적힌))"
    r"|\b(?:the\sfollowing|what\sfollows|the\stext\sbelow)\s?[.:]?\s*$",
    re.IGNORECASE,
)
_CHINESE_ORDER = re.compile(r"请|使用|根据|回答|如果|不要")
_PROMPTED = re.compile(
    r"(?:(?:다음\s|아래\s|사용자\s)?(?:질문|질의)(?:은|는|입니다|에\s?[가-힣\s]{0,24})?"
    r"|[^\n:：]{0,200}?(?:세요|십시오|시오|하라|해라|[하할]\s?것|줘|주라))"
    r"\s?[:：]\s*(?=\S|$)"
)
_PROMPTED_ENGLISH = re.compile(
    r"\b(?:question|query|comment)\b(?:\s(?:is|was))?(?:\s(?:as\s)?follows)?"
    r"\s?(?::|\bis\b)\s*(?=\S|$)",
    re.IGNORECASE,
)
_EARLIER_ANSWER = re.compile(
    r".{0,40}\b(?:existing|original|previous) answer\b[^:\n]{0,20}:", re.IGNORECASE
)
LONGEST_INSTRUCTION_CHARS = 700
_LONGEST_INTRODUCTION_CHARS = 160
_READ_CHARS = 4000
_MOSTLY = 0.6


def announces_context(line: str) -> bool:
    """Tell whether a line says that the context follows: "아래 자료만 사용해 답하세요"."""
    head = line[:LONGEST_INSTRUCTION_CHARS]
    return bool(_INTRODUCED.search(head.strip())) or bool(
        _ANNOUNCED.search(head) and _USED.search(head)
    )


def places_context(line: str) -> bool:
    """Tell whether a line says where the context stands ("아래"), not only that it is given."""
    return bool(_PLACED.search(line[:LONGEST_INSTRUCTION_CHARS]))


def points_ahead(line: str) -> bool:
    """Tell whether a line sends to what follows without naming it: "아래만 보고 답해"."""
    head = line[:LONGEST_INSTRUCTION_CHARS]
    return bool(_AHEAD.search(head) and _ANSWERING.search(head)) and is_order(line)


def introduces_context(line: str) -> bool:
    """Tell whether a line only says that the context follows: "다음은 관련 문서입니다:"."""
    return len(line) < _LONGEST_INTRODUCTION_CHARS and bool(_INTRODUCED.search(line.strip()))


def points_back(line: str) -> bool:
    """Tell whether a line points at a context that stood before it: "위 자료를 보고"."""
    return bool(_BACK.search(line[:LONGEST_INSTRUCTION_CHARS]))


def is_instruction(line: str) -> bool:
    """Tell whether a line tells the model how to answer or what the context is for."""
    text = line.strip()
    if not text or len(text) > LONGEST_INSTRUCTION_CHARS:
        return False
    if _CONCLUDED.match(text) or _refers_elsewhere(text):
        return True
    points = _BACK.match(text.lstrip("-*• ")) and _USED.search(text)
    if not (_ANSWERING.search(text) or points or announces_context(text)):
        return False
    stated = _STATEMENT_END.search(text) and _STATED.search(text)
    return bool(
        stated
        or _ORDER_END.search(text)
        or _ENGLISH_ORDER.match(text)
        or _CHINESE_ORDER.search(text)
        or (announces_context(text) and text.endswith((":", "：")))
    )


def _refers_elsewhere(text: str) -> bool:
    """Tell whether a sentence says that the context stands in another message."""
    return len(text) <= _LONGEST_REFERRAL_CHARS and bool(_ELSEWHERE.fullmatch(text.lstrip("-*• ")))


def is_order(line: str) -> bool:
    """Tell whether a line tells somebody to do something."""
    text = line.strip()[:LONGEST_INSTRUCTION_CHARS]
    return is_instruction(text) or bool(
        _ORDER_END.search(text) or _ENGLISH_ORDER.match(text) or _CHINESE_ORDER.search(text)
    )


def mostly_orders(text: str) -> bool:
    """Tell whether most lines below a heading such as "규칙" are rules."""
    return _share(text, is_order) >= _MOSTLY


def mostly_directions(text: str) -> bool:
    """Tell whether most lines say who the assistant is and what it has to do."""
    return _share(text, _is_direction) >= _MOSTLY


def _is_direction(line: str) -> bool:
    if is_order(line):
        return True
    short = len(line) <= LONGEST_INSTRUCTION_CHARS
    return short and bool(_ROLE.match(line) or _PERSONA.search(line))


def has_instruction(text: str) -> bool:
    """Tell whether any line is an instruction to the model."""
    return _share(text, is_instruction) > 0


def mostly_instructions(text: str) -> bool:
    """Tell whether what a heading calls context are instructions to the model."""
    return _share(text, is_instruction) >= _MOSTLY


def _share(text: str, test: Callable[[str], bool]) -> float:
    lines = [line for line in text[:_READ_CHARS].split("\n") if line.strip()]
    return sum(map(test, lines)) / len(lines) if lines else 0.0


def prompted_question(line: str) -> int | None:
    """Return where the question begins in "위 자료로 답해 주세요: …"; None without such words."""
    head = line[:LONGEST_INSTRUCTION_CHARS]
    found = _PROMPTED.match(head) or _PROMPTED_ENGLISH.search(head)
    return found.end() if found else None


def leading_instruction(line: str) -> str:
    """Return the part of a line before the question that it asks for; the line if it asks none."""
    begin = prompted_question(line)
    return line if begin is None else line[:begin].rstrip(" :：")


def is_earlier_answer(line: str) -> bool:
    """Tell whether a line gives an answer to be refined."""
    return bool(_EARLIER_ANSWER.match(line))
