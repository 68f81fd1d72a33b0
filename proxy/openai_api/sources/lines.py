"""The lines of a prompt: which are headings, rules, or the first line of a numbered passage."""

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from proxy.openai_api.sources.vocabulary import Role, is_item_word, role_of

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
    """What a line is."""

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
        number: Number of a passage; empty if it has none.
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
