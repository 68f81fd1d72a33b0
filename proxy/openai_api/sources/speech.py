"""Recognises the sentences around a context block that instruct the model.

A passage may tell its reader what to do as well ("담당자에게 문의하세요"), so an instruction counts
only if it speaks of answering, or points at the context ("위 자료", "the context above").

Patterns for which case does not matter are written in small letters and read small letters, because
Python then knows the characters that a match begins with.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

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
)
# Without one of these words nothing is announced.
LEADS = re.compile(
    "다음|아래|이하|하단|제공된|주어진|검색된|첨부된|조회된|찾았|조회했|검색했|follow|below|provided|given|"
    "retrieved|these|this|here|found|以下|下面"
)
_ANNOUNCED = re.compile(
    rf"(?:{_FOLLOWS}|하단|제공된|주어진|검색된|첨부된|조회된)[^\n]{{0,30}}?{_CONTEXT_NOUN}"
    rf"|(?:following|below|provided|given|retrieved|these|this|以下|下面)[^\n]{{0,60}}?{_CONTEXT_NOUN}"
    rf"|{_CONTEXT_NOUN}[^\n]{{0,40}}?(?:below|provided|following|아래)"
    rf"|here\s(?:is|are)[^\n]{{0,60}}?{_CONTEXT_NOUN}",
)
_INTRODUCED = re.compile(
    rf"{_FOLLOWS}[^\n]{{0,40}}?{_CONTEXT_NOUN}(?:들)?\s?(?:입니다|이다|이에요|예요|임)"
    rf"|(?:{_FOLLOWS}|following|below|these|provided)[^\n]{{0,60}}{_CONTEXT_NOUN}(?:들)?[:：]$"
    rf"|{_ENGLISH_FOLLOWS}\b[^\n]{{0,60}}{_CONTEXT_NOUN}"
    rf"|(?:以下|下面)(?:是|为)[^\n]{{0,20}}{_CONTEXT_NOUN}",
)
_SAID = re.compile(r"다음과\s같|아래와\s같|찾았습니다|조회했습니다|검색했습니다|is\s|are\s")
_SAID_OF_CONTEXT = re.compile(
    rf"{_CONTEXT_NOUN}(?:(?:들)?[은는이가를을]?\s?"
    r"(?:다음과\s같|아래와\s같|찾았습니다|조회했습니다|검색했습니다)"
    r"|\s(?:is|are)\s(?:below|as\sfollows|provided))"
)
_BACK = re.compile(
    r"(?:(?:위|이|상기|해당|앞의|제공된|주어진)\s?(?:의\s|에\s제공된\s|에서\s제공된\s)?"
    rf"(?:[가-힣a-z]{{1,8}}\s){{0,2}}{_CONTEXT_NOUN}"
    rf"|(?:above|provided|given|this|these|the|new)\s(?:\w{{1,12}}\s){{0,2}}{_CONTEXT_NOUN}"
    rf"|(?:上述|以上){_CONTEXT_NOUN})",
)
_CONCLUDED = re.compile(
    rf"(?:the\s)?above\s(?:is|are)\b[^\n]{{0,40}}{_CONTEXT_NOUN}"
    rf"|(?:위|이상)[은는이가]?\s[^\n]{{0,30}}{_CONTEXT_NOUN}(?:들)?(?:입니다|이다|임)",
)
_ANSWERING = re.compile(
    r"답변|답하|답해|답을|대답|응답|모른다고|모르면|추측하지|지어내|만들어\s?내|출처를|인용|컨텍스트|"
    r"사용자\s메시지|回答|问题"
)
_ANSWERING_ENGLISH = re.compile(
    r"\b(?:user\smessage|answer|respond|reply|question|query|context|cite|sources?\b|say so|"
    r"say that)|don'?t know|make up|prior knowledge"
)
_ORDER_END = re.compile(
    r"(?:세요|십시오|시오|하라|해라|하되|하\s?것|할\s?것|말\s?것|마라|말아라|바랍니다|해\s?줘|줘|답하기|쓰기|않기|"
    r"금지|답해|답변해|응답해|지\s?마)[.!\s\"'」:：)]*$"
)
_STATEMENT_END = re.compile(r"(?:한다|합니다|됩니다|입니다|이다)[.!\s\"'」)]*$")
_STATED = re.compile(
    r"답변|답한다|답합니다|답해야|모른다고|추측|컨텍스트|도우미|챗봇|비서|어시스턴트|상담원|전문가|assistant|AI"
)
_ENGLISH_ORDER = re.compile(
    r"\s*[-*•\d.)]*\s*(?:answer|use|given|if|do|don'?t|please|respond|reply|cite|always|never|only|"
    r"based|provide|keep|write|generate|you|your|remember|make|avoid|say|refine|when|be|note|follow|"
    r"using|the (?:above|context)|now|and|think|context)\b"
)
_ROLE = re.compile(
    r"\s*(?:(?:당신|귀하|너|나|저)(?:은|는|의)|넌|난|you\sare|you're|your\s(?:role|task|name|job)|"
    r"act\sas|as\san?\s|some\srules)\b"
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
    r"(?:contains|holds|has|includes|brings|provides)\s(?:the\s)?\w{1,12}[.]?"
)
_LONGEST_REFERRAL_CHARS = 120
_USER = re.compile("사용자|유저|user")
_PLACED = re.compile(rf"{_FOLLOWS}|하단|following|below|these|以下|下面")
_AHEAD = re.compile(
    rf"(?:^|\s){_FOLLOWS}(?:만|을|를|의\s것|에\s(?:있는|나온|적힌))"
    r"|\b(?:the\sfollowing|what\sfollows|the\stext\sbelow)\s?[.:]?\s*$"
)
_CHINESE_ORDER = re.compile(r"请|使用|根据|回答|如果|不要")
_PROMPTED = re.compile(
    r"(?:(?:다음\s|아래\s|사용자\s)?(?:질문|질의)(?:은|는|입니다|에\s?[가-힣\s]{0,24})?"
    r"|[^\n:：]{0,200}?(?:세요|십시오|시오|하라|해라|[하할]\s?것|줘|주라))"
    r"\s?[:：]\s*(?=\S|$)"
)
_COLON = re.compile("[:：]")
_PROMPTED_ENGLISH = re.compile(
    r"\b(?:question|query|comment)\b(?:\s(?:is|was))?(?:\s(?:as\s)?follows)?"
    r"\s?(?::|\bis\b)\s*(?=\S|$)"
)
_ASKER = r"(?:사용자|고객|이용자|유저|손님|민원인|문의자|질문자|회원|학생|직원)(?:님|의)?"
_ASKED = r"(?:질문|질의|문의|물음)"
_LIKE_THIS = r"(?:다음과?|아래와?)\s?같"
# "아래는 고객의 질문입니다.", "질문은 다음과 같습니다:", "사용자가 다음과 같이 물었습니다:"
_QUESTION_FOLLOWS = re.compile(
    rf"(?:#{{1,6}}\s)?(?:"
    rf"(?:다음|아래|이하)[은는이]?\s(?:[가-힣]{{1,8}}\s){{0,3}}{_ASKED}\s?(?:입니다|이다|임|이에요|예요)"
    rf"|(?:[가-힣]{{1,8}}\s){{0,3}}{_ASKED}[은는이]?\s{_LIKE_THIS}(?:습니다|다|음|아요)"
    rf"|{_ASKER}(?:이|가|께서|은|는)?\s(?:{_LIKE_THIS}이|이렇게)\s[가-힣]{{0,6}}(?:물|묻|질문|문의|요청|말)[가-힣]{{0,8}}"
    rf"|{_ASKER}(?:이|가|께서)?\s[가-힣]{{0,6}}(?:물었|묻|질문|문의)[가-힣]{{0,6}}(?=[:：])"
    r"|(?:here|below|this|the\sfollowing)\sis\s(?:[\w']{1,12}\s){0,3}(?:question|query|request|inquiry)"
    r"|(?:the\s|our\s|a\s)?(?:user|customer|client|student)"
    r"(?:(?:'s)?\s(?:question|query|request)\sis(?:\sas\sfollows)?|\s(?:has\s)?(?:asked|asks|wrote)"
    r"(?:\sthe\sfollowing|\sthis)?(?:\squestion)?)(?=\s?[:.]|$)"
    r")\s?[.:：]?\s*"
)
_EARLIER_ANSWER = re.compile(r".{0,40}\b(?:existing|original|previous) answer\b[^:\n]{0,20}:")
LONGEST_INSTRUCTION_CHARS = 700
_LONGEST_INTRODUCTION_CHARS = 160
_READ_CHARS = 4000
_MOSTLY = 0.6
_REMEMBERED_LINES = 2048


class _Manner(NamedTuple):
    """Manner of speech of a line.

    Attributes:
        instructs: It tells the model how to answer or what the context is for.
        orders: It does so, or tells somebody else to do something.
        directs: It does so, or says who the assistant is.
    """

    instructs: bool
    orders: bool
    directs: bool


def announces_context(line: str) -> bool:
    """Tell whether a line says that the context follows: "아래 자료만 사용해 답하세요"."""
    head = small_letters(line[:LONGEST_INSTRUCTION_CHARS])
    return LEADS.search(head) is not None and bool(
        _introduces(head.strip()) or (_USED.search(head) and _ANNOUNCED.search(head))
    )


def places_context(line: str) -> bool:
    """Tell whether a line says where the context stands ("아래"), not only that it is given."""
    return bool(_PLACED.search(small_letters(line[:LONGEST_INSTRUCTION_CHARS])))


def points_ahead(line: str) -> bool:
    """Tell whether a line sends to what follows without naming it: "아래만 보고 답해"."""
    head = small_letters(line[:LONGEST_INSTRUCTION_CHARS])
    return bool(_AHEAD.search(head)) and _speaks_of_answering(head) and is_order(line)


def introduces_context(line: str) -> bool:
    """Tell whether a line only says that the context follows: "다음은 관련 문서입니다:"."""
    return len(line) < _LONGEST_INTRODUCTION_CHARS and _introduces(small_letters(line.strip()))


def _introduces(small: str) -> bool:
    lead = LEADS.search(small)
    if lead is None:
        return False
    return bool(
        _INTRODUCED.search(small, lead.start())
        or (_SAID.search(small) and _SAID_OF_CONTEXT.search(small))
    )


def points_back(line: str) -> bool:
    """Tell whether a line points at a context that stood before it: "위 자료를 보고"."""
    return bool(_BACK.search(small_letters(line[:LONGEST_INSTRUCTION_CHARS])))


def is_instruction(line: str) -> bool:
    """Tell whether a line tells the model how to answer or what the context is for."""
    text = line.strip()
    return len(text) <= LONGEST_INSTRUCTION_CHARS and _manner(text).instructs


def is_order(line: str) -> bool:
    """Tell whether a line tells somebody to do something."""
    return _manner(_beginning(line)).orders


def _beginning(line: str) -> str:
    return line.strip()[:LONGEST_INSTRUCTION_CHARS].rstrip()


@lru_cache(_REMEMBERED_LINES)
def _manner(text: str) -> _Manner:
    """Return how a line speaks that has no space around it and is not longer than one may be."""
    small = small_letters(text)
    orders = bool(
        _ORDER_END.search(text) or _ENGLISH_ORDER.match(small) or _CHINESE_ORDER.search(text)
    )
    instructs = _instructs(text, small, orders=orders)
    orders = orders or instructs
    return _Manner(instructs, orders, orders or bool(_ROLE.match(small) or _PERSONA.search(text)))


def _instructs(text: str, small: str, *, orders: bool) -> bool:
    if _CONCLUDED.match(small) or _refers_elsewhere(small):
        return True
    if orders or (_STATEMENT_END.search(text) and _STATED.search(text)):
        return _speaks_of_answering(small) or _begins_with_context(small) or announces_context(text)
    return text.endswith((":", "：")) and announces_context(text)


def _speaks_of_answering(small: str) -> bool:
    return bool(_ANSWERING.search(small) or _ANSWERING_ENGLISH.search(small))


def _begins_with_context(small: str) -> bool:
    return bool(_BACK.match(small.lstrip("-*• ")) and _USED.search(small))


def _refers_elsewhere(small: str) -> bool:
    """Tell whether a sentence says that the context stands in another message."""
    if len(small) > _LONGEST_REFERRAL_CHARS or not _USER.search(small):
        return False
    return bool(_ELSEWHERE.fullmatch(small.lstrip("-*• ")))


def mostly_orders(text: str) -> bool:
    """Tell whether most lines below a heading such as "규칙" are rules."""
    return _are_most(text, is_order)


def mostly_directions(text: str) -> bool:
    """Tell whether most lines say who the assistant is and what it has to do."""
    return _are_most(text, _is_direction)


def _is_direction(line: str) -> bool:
    manner = _manner(_beginning(line))
    return manner.orders or (manner.directs and len(line) <= LONGEST_INSTRUCTION_CHARS)


def has_instruction(text: str) -> bool:
    """Tell whether any line is an instruction to the model."""
    return any(map(is_instruction, _first_lines(text)))


def mostly_instructions(text: str) -> bool:
    """Tell whether what a heading calls context are instructions to the model."""
    return _are_most(text, is_instruction)


def _first_lines(text: str) -> list[str]:
    return [line for line in text[:_READ_CHARS].split("\n") if line.strip()]


def _are_most(text: str, test: Callable[[str], bool]) -> bool:
    """Tell whether most lines pass a test; it ends where too many have failed."""
    lines = _first_lines(text)
    passed = len(lines)
    for line in lines:
        passed -= not test(line)
        if passed / len(lines) < _MOSTLY:
            return False
    return bool(lines)


def prompted_question(line: str) -> int | None:
    """Return where the question begins in "위 자료로 답해 주세요: …"; None without such words."""
    head = line[:LONGEST_INSTRUCTION_CHARS]
    found = _PROMPTED.match(head) if _COLON.search(head) else None
    found = found or _PROMPTED_ENGLISH.search(small_letters(head))
    return found.end() if found else None


def announced_question(line: str) -> int | None:
    """Return where the question begins behind a sentence that only announces it.

    That is the end of the line where it announces the lines below: "아래는 고객의 질문입니다.".
    """
    head = small_letters(line[:_LONGEST_INTRODUCTION_CHARS])
    found = _QUESTION_FOLLOWS.match(head, len(head) - len(head.lstrip()))
    return found.end() if found else None


def leading_instruction(line: str) -> str:
    """Return the part of a line before the question that it asks for; the line if it asks none."""
    begin = prompted_question(line)
    return line if begin is None else line[:begin].rstrip(" :：")


def is_earlier_answer(line: str) -> bool:
    """Tell whether a line gives an answer to be refined."""
    return bool(_EARLIER_ANSWER.match(small_letters(line[:_LONGEST_INTRODUCTION_CHARS])))


def small_letters(text: str) -> str:
    """Return a text in small letters, each in its place, as patterns that ignore case read it."""
    if not text.isascii():
        text = text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s")
    return text.lower()
