"""The lines of a prompt: which are headings, rules, or the first line of a numbered passage."""

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

# English and Korean are head-final in such labels ("user question", "참고 자료"), so the last word
# tells what a label is: "답변 규칙" is about rules, "질문 유형" is no question. The words before it
# may be anything if the label is set off as a heading; before text on the same line they must be
# known too, because passages are full of lines like ``신청 서류: 신분증 사본``.


class Role(StrEnum):
    """Parts of a prompt that a heading announces."""

    CONTEXT = "context"
    QUESTION = "question"
    ANSWER = "answer"
    INSTRUCTION = "instruction"
    EXAMPLE = "example"
    HISTORY = "history"
    END = "end"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONTEXT = _words(
    "context contexts document documents doc docs passage passages reference references source "
    "sources knowledge knowledgebase excerpt excerpts snippet snippets chunk chunks evidence "
    "material materials background article articles resource resources cites faq "
    "자료 참고자료 관련자료 문서 문서들 참고문서 관련문서 참조문서 규정 규정집 관련규정 근거 "
    "지식 지식베이스 문맥 맥락 컨텍스트 콘텍스트 발췌 발췌문 본문 지문 법령 조문 법조문 판례 "
    "약관 매뉴얼 참고 참조 참고정보 레퍼런스 검색결과 "
    "资料 参考资料 文档 参考 参考信息 知识 知识库 已知信息 上下文"
)
# Count as context only beside a word of the first set or one of retrieval.
_WEAK_CONTEXT = _words(
    "information info result results data content contents text texts base facts files "
    "결과 정보 내용 데이터 목록 출처 텍스트 원문 글 파일 사례 조각 청크 信息 内容"
)
_RETRIEVAL = _words(
    "search retrieved retrieval relevant background supporting provided given related "
    "검색 검색된 조회 조회된 참고 참조 관련 배경 제공 제공된 주어진 첨부 첨부된 수집된 근거 "
    "사전 업로드된"
)
_QUESTION = _words(
    "question query queries questions q 질문 질의 문의 물음 질문사항 문의사항 질의사항 "
    "问题 提问 用户问题 我的问题 我的问题或指令"
)
_QUESTION_BESIDE = _words(
    "user user's users the current my original new following customer standalone follow up final "
    "사용자 사용자의 고객 고객의 현재 나의 내 최종 원문 이용자 이번 새 새로운 추가 실제 유저 학생 "
    "직원 用户"
)
_INPUT = _words("input message request 입력 요청 메시지 발화")
_ANSWER = _words("answer answers response reply a 답변 답 응답 대답 정답 回答 答案 assistant ai")
_INSTRUCTION = _words(
    "instruction instructions rule rules guideline guidelines requirement requirements format "
    "note notes remember important constraint constraints task role objective steps policy "
    "지시 지시사항 지침 규칙 주의 주의사항 유의사항 요구사항 조건 역할 형식 가이드 가이드라인 원칙 "
    "방법 작업 목표 제약 제약사항 안내 요청사항 출력형식 작성요령 要求 指令 回答要求 规则 思考流程"
)
_EXAMPLE = _words("example examples sample samples few-shot shot 예시 예제 예 예시들 例子 示例 例")
_HISTORY = _words(
    "history conversation chat dialogue 대화 이력 대화기록 대화이력 채팅 이전대화 历史"
)
_END = _words("end 끝 종료 eof 结束")
_BEGIN = _words("start begin beginning 시작")
# Before text on the same line these head contact details as often as questions.
_NEVER_STRICT = _words("문의 문의사항 a 안내 방법")
_FILLER = _words("the of a an and or for to your my all is are 및 위 아래 다음")
_TOKEN = re.compile(r"[\w'가-힣-]+")
_ASIDE = re.compile(r"[(（][^()（）]{0,80}[)）]")
_ROLES_BY_ANY_WORD = (
    (_EXAMPLE, Role.EXAMPLE),
    (_HISTORY, Role.HISTORY),
)
_LONGEST_LABEL_WORDS = 7


def label_words(label: str) -> list[str]:
    """Return the words of a label in lower case, without what stands in parentheses."""
    return [word.strip("_-") for word in _TOKEN.findall(_ASIDE.sub(" ", label).lower())]


@lru_cache(maxsize=4096)
def role_of(label: str, *, strict: bool = False) -> Role | None:
    """Return what a label announces, or None.

    Args:
        label: The label without decoration and colon.
        strict: Every word must be known, as for a label with text behind it.
    """
    words = [word for word in re.split(r"[\s_]+", " ".join(label_words(label))) if word]
    words = [word for word in words if word not in _BEGIN]
    if not words or len(words) > _LONGEST_LABEL_WORDS:
        return None
    if label.startswith("/") or _END & {words[0], words[-1]}:
        return Role.END
    for heads, any_role in _ROLES_BY_ANY_WORD:
        if heads.intersection(words):
            return any_role
    role = _role_of_head(words)
    if role is None or not strict:
        return role
    known = all(word in _KNOWN for word in words) and words[-1] not in _NEVER_STRICT
    return role if known or words == ["a"] else None


def _role_of_head(words: list[str]) -> Role | None:
    head, beside = words[-1], set(words[:-1])
    if head in _INSTRUCTION:
        return Role.INSTRUCTION
    if head in _QUESTION or (head in _INPUT and beside & _QUESTION_BESIDE):
        return Role.QUESTION
    if head in _ANSWER:
        return Role.ANSWER
    if head in _CONTEXT:
        return Role.CONTEXT
    if head in _WEAK_CONTEXT and beside & (_CONTEXT | _RETRIEVAL):
        return Role.CONTEXT
    return None


_KNOWN = (
    _CONTEXT
    | _WEAK_CONTEXT
    | _RETRIEVAL
    | _QUESTION
    | _QUESTION_BESIDE
    | _INPUT
    | _ANSWER
    | _INSTRUCTION
    | _FILLER
    | _words("helpful refined information 도움 자세한")
)


def is_item_word(word: str) -> bool:
    """Tell whether a word may stand before the number of a passage, as in ``[문서 1]``."""
    return word in _CONTEXT or word in _WEAK_CONTEXT or word in _ITEM_WORDS


_ITEM_WORDS = _words("id item no entry 검색 항목 단락 문단 조항 번호 자료번호 출처 페이지")


_DECORATION = "#*=-~>_·…▶▷►▸■□◆◇●○◎★☆※➤✅❓💬📄📌📚📖📎🔎🔍🔹🔸─━═ \t"
_CLOSER = {
    "[": "]", "(": ")", "【": "】", "〔": "〕", "〈": "〉", "《": "》", "「": "」", "『": "』",
    "<": ">", "{": "}",
}  # fmt: skip
_LONGEST_LABEL_CHARS = 60
_SIGNS = frozenset((*_DECORATION, "—", "–", "+", "<"))
_READ_CHARS = 240
_REMEMBERED_LINES = 2048
_BARE_ROLES = (Role.CONTEXT, Role.QUESTION, Role.ANSWER)
_COLON_LABEL = re.compile(
    r"(?:(Q)\.(?= )|([^\n:：=\[\]\"'.。,]{1,40}?)[*_ ]*(?:[:：]|=(?=\s*[\"'\[])))"
)
_LABEL_SIGN = re.compile(r"[:：=]|Q\. ")
_RULE = re.compile(r"([-=*_#~─━═—–+<>])\1{2,}")
_FENCES = ("```", "~~~")
_NUMBERED_LABEL = re.compile(
    r"([^\d\[\]]{0,20}?)[\s#_:\-]*\[?(\d{1,4})\]?\s*(?:[:：.\-–|,]\s*(.*))?"
)
_WORD_NUMBER = re.compile(
    r"(?:(?:BEGIN|START) )?([A-Za-z가-힣]+(?: [A-Za-z가-힣]+)?)[ ]?[#_-]?\[?(\d{1,3})\]?[*_ ]*"
    r"(?:(?:[:：)|]|[.\-–](?= )|=(?=\s*[\"']))[*_ ]*|(?=[(（])|$)"
)


class Kind(StrEnum):
    """One line and its kind."""

    HEADING = "heading"
    ITEM = "item"
    RULE = "rule"
    TEXT = "text"
    BLANK = "blank"


class Line(NamedTuple):
    """A line and what it is.

    Attributes:
        start: Where it begins in the text, in code points.
        end: Where it ends, without the line break.
        kind: See `Kind`.
        role: What a heading announces; CONTEXT for the first line of a numbered passage.
        style: How the heading or number is set off; lines of one list share it.
        rest_start: Where the text behind the label begins; `end` if there is none.
        label: The label of a heading, or the title within a passage's brackets.
    """

    start: int
    end: int
    kind: Kind
    role: Role | None = None
    style: str = ""
    rest_start: int = 0
    number: str = ""
    label: str = ""

    def is_inline(self, text: str) -> bool:
        """Tell whether this is only a label with text behind it: passages have such lines too."""
        return self.style.startswith(":") and bool(self.rest(text))

    def rest(self, text: str) -> str:
        """Return the text behind the label."""
        return text[self.rest_start : self.end].strip()


def read_lines(text: str) -> tuple[Line, ...]:
    """Return the lines of a text, blank ones joined; nothing in a code fence is a heading."""
    lines: list[Line] = []
    start, fenced, blank = 0, False, False
    for piece in text.split("\n"):
        end = start + len(piece)
        words = piece.strip()
        if not words:
            if not blank:
                lines.append(Line(start, end, Kind.BLANK))
        elif words.startswith(_FENCES):
            fenced = not fenced
            lines.append(Line(start, end, Kind.TEXT, rest_start=start))
        elif fenced:
            lines.append(Line(start, end, Kind.TEXT, rest_start=start))
        else:
            lines.append(_line(piece, start, end))
        blank = not words
        start = end + 1
    return tuple(lines)


def _line(piece: str, start: int, end: int) -> Line:
    known = _known_line(piece) if len(piece) <= _READ_CHARS else _line_alone(piece)
    if known is None:
        return Line(start, end, Kind.TEXT, None, "", start)
    return known._replace(start=start, end=end, rest_start=start + known.rest_start)


def _line_alone(piece: str) -> Line | None:
    """Return a line as if the text began with it; None if it is plain text."""
    head = bare = piece[:_READ_CHARS].strip()
    end, mark = len(piece), ""
    if head[:1] in _SIGNS:
        if _RULE.match(head) and not piece.strip().strip(head[0]):
            return Line(0, end, Kind.RULE, style=head[0], rest_start=end)
        bare = head.lstrip(_DECORATION)
        mark = head[: len(head) - len(bare)].replace(" ", "")
    if not bare:
        return None
    at = piece.index(bare)
    return (
        (_bracketed(bare, at, end, mark) if bare[0] in _CLOSER else None)
        or _word_number(bare, at, end, mark)
        or _labelled(bare, at, end, mark)
        or _decorated(bare, end, mark)
    )


# A block is read twice: within its message, and to be cut into passages.
_known_line = lru_cache(_REMEMBERED_LINES)(_line_alone)


def _bracketed(bare: str, at: int, end: int, mark: str) -> Line | None:
    """Read ``[참고 자료]``, ``<<관련 규정>>``, ``【자료 1】 제목``, ``[1]``, ``[문서 1: 파일]``."""
    opener = bare[0]
    depth = len(bare) - len(bare.lstrip(opener))
    closer = _CLOSER[opener] * depth
    close = bare.find(closer, depth, _LONGEST_LABEL_CHARS * 2)
    if close < 0 or depth > 3:
        return None
    label = bare[depth:close].strip()
    after = close + len(closer)
    after += len(bare[after:]) - len(bare[after:].lstrip("*_"))
    if bare[after : after + 1] not in ("", " ", "\t", ":", "：", "-", "=", "(", "—"):
        return None
    rest_start = at + after
    rest_start += len(bare[after:]) - len(bare[after:].lstrip(":： \t-=—"))
    style = f"{opener * depth}{mark[:1]}"
    numbered = _NUMBERED_LABEL.fullmatch(label)
    if numbered and (not numbered[1].strip() or is_item_word(numbered[1].split()[-1].lower())):
        style += numbered[1].strip().lower()
        title = (numbered[3] or "").strip()
        return Line(0, end, Kind.ITEM, Role.CONTEXT, style, rest_start, numbered[2], title)
    role = role_of(label) if len(label) <= _LONGEST_LABEL_CHARS else None
    if (
        role is None
        or opener == "("
        or (opener == "<" and depth == 1 and label.isascii() and " " not in label)
    ):
        return None
    return Line(0, end, Kind.HEADING, role, style, min(rest_start, end), label=label)


def _word_number(bare: str, at: int, end: int, mark: str) -> Line | None:
    """Read ``Source 1:``, ``문서 2.``, ``### 자료 3``, ``Document [1](Title: …)``."""
    found = _WORD_NUMBER.match(bare)
    if not found or not all(is_item_word(word) for word in found[1].lower().split()):
        return None
    style = f"n{mark[:1]}{found[1].lower()}"
    return Line(0, end, Kind.ITEM, Role.CONTEXT, style, at + found.end(), found[2])


def _labelled(bare: str, at: int, end: int, mark: str) -> Line | None:
    """Read ``Question: …``, ``#Context:``, ``**질문**: …``, ``context = [...]``."""
    if mark == "-" or not _LABEL_SIGN.search(bare):
        return None
    found = _COLON_LABEL.match(bare)
    if not found:
        return None
    rest = bare[found.end() :].strip("*_ \t")
    label = found[1] or found[2]
    role = role_of(label, strict=bool(rest))
    if role is None:
        return None
    rest_start = at + found.end()
    rest_start += len(bare[found.end() :]) - len(bare[found.end() :].lstrip("*_ \t"))
    return Line(
        0, end, Kind.HEADING, role, f":{mark[:1]}", min(rest_start, end), label=label.strip()
    )


def _decorated(bare: str, end: int, mark: str) -> Line | None:
    """Read ``## 참고 자료``, ``=== 질문 ===``, ``▶ 검색 결과``, and a bare ``문서`` on its line."""
    if "." in bare or mark in ("-", "*", "·"):
        return None
    label = bare.rstrip(_DECORATION + ":：")
    if len(label) > _LONGEST_LABEL_CHARS:
        return None
    role = role_of(label, strict=not mark)
    if role is None or (not mark and (role not in _BARE_ROLES or len(label) < 2)):
        return None
    return Line(0, end, Kind.HEADING, role, mark[:1] or "bare", end, label=label)
