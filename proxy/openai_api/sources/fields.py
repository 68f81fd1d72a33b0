"""Fields around a passage: ``제목: …``, ``file_path: …``, ``(유사도: 0.8, 출처: 규정.pdf)``."""

import re
from dataclasses import dataclass, replace

from proxy.openai_api.sources.found import Passage
from proxy.openai_api.sources.records import page_number, unit_score

_NAMES = {
    "title": "title|제목|문서명|문서 제목|규정명|section_title|section|heading|name|조항명|조문|"
    "document title|document|문서|법령명|source_title|자료명|자료 제목|규정 제목",
    "file": "source|출처|file|file_name|filename|file_path|파일|파일명|url|uri|링크|link|path|위치|"
    "document_name",
    "page": "page|page_label|page_number|page_num|페이지|쪽|쪽수",
    "score": "score|similarity|relevance|relevance_score|search_score|유사도|점수|관련도",
    "text": "content|text|내용|본문|page_content|passage|excerpt|snippet|발췌|section_content|"
    "document chunk|body|문서 내용|자료 내용|규정 내용",
    "other": "id|index|번호|date|날짜|category|카테고리|chunk_id|doc_id|document_id|분류|부서|"
    "시행일|개정일|creation_date|last_modified_date|file_type|file_size|total_pages|chunk|author|producer|"
    "creator",
}
_KEYS = {name: kind for kind, names in _NAMES.items() for name in names.split("|")}
_FIELD = re.compile(
    r"[\s\-*•├└─│#>📄📍📝🔗📌]{0,16}(?:\*\*|[\"'\[])?"
    r"([A-Za-z가-힣_]{1,20}(?: [A-Za-z가-힣]{1,10})?)(?:\*\*|[\"'\]])?"
    r"\s{0,3}[:：](?:\*\*)?[ \t]*(.*)"
)
_SIGN = re.compile(r"[:：=]")
_PAIR = re.compile(r"([A-Za-z가-힣_]{1,20})\s{0,3}[:：=]\s{0,3}([^|/·,:：=()\[\]]{1,200})")
_TRAILING_PAGE = re.compile(
    r"(?:,|\s)\s*(?:p\.?\s?|page\s)(\d{1,5})$|[,\s]\s*(\d{1,5})\s?(?:쪽|페이지|면)$", re.IGNORECASE
)
_LAW_HEADING = re.compile(r"(?:[^\n.]{0,60}\s)?제\d{1,4}조(?:의\d{1,3})?\s?[(（][^\n]{1,100}[)）]")
_SENTENCE_END = re.compile(r"(?:다|요|음|함|까|죠)[.!?]?$|[.!?]$")
_FILE_NAME = re.compile(
    r"[^\s/][^\n/]{0,150}\.(?:pdf|docx?|hwpx?|txt|md|html?|xlsx?|pptx?|csv|json)", re.IGNORECASE
)
FILE_LABEL = re.compile(
    r"[^\n:：]{1,100}\.(?:pdf|docx?|hwpx?|txt|md|html?|xlsx?|pptx?)\s?[:：]\s*", re.IGNORECASE
)
_MOST_FIELDS = 16
_LONGEST_TITLE_CHARS = 120
_LONGEST_VALUE_CHARS = 200
_READ_CHARS = 2000


@dataclass(frozen=True, slots=True)
class _Field:
    kind: str
    value: str


def field_kind(name: str) -> str:
    """Return what a field of this name holds, such as ``title`` or ``text``; empty if unknown."""
    return _KEYS.get(name.lower(), "")


def opens_fields(line: str) -> bool:
    """Tell whether a line is a field that stands before a passage: its title, file or page."""
    if not _SIGN.search(line):
        return False
    if FILE_LABEL.match(line):
        return True
    field = _field(line)
    return field is not None and field.kind in ("title", "file", "page", "score", "other")


def is_file_name(text: str) -> bool:
    """Tell whether a text is the name of a file."""
    return _FILE_NAME.fullmatch(text.strip()) is not None


def with_value(passage: Passage, kind: str, value: str) -> Passage:
    """Return the passage with one more field of a kind that `field_kind` gave."""
    return replace(passage, text=value) if kind == "text" else _with_field(passage, kind, value)


def read_passage(text: str, *, head: str = "", name: str = "", guessed: bool = False) -> Passage:
    """Read a piece of a context block.

    Args:
        text: The piece without the marker that opened it.
        head: What stood beside the marker: a title, fields, or the passage's first words.
        name: Number in the marker.
        guessed: See `Passage`.
    """
    passage = Passage("", name=name, guessed=guessed)
    lines = text.strip("\n").split("\n")
    head = head.strip()
    if head and not any(line.strip() for line in lines):
        return _with_fields_above(passage, head.split("\n"))
    if head:
        described = _with_pairs(passage, head)
        if described is None and not _is_title(head):
            lines = [head, *lines]
        else:
            passage = described or replace(passage, title=head)
    return _with_fields_above(passage, lines)


def _with_fields_above(passage: Passage, lines: list[str]) -> Passage:
    at = taken = 0
    while at < len(lines) and taken < _MOST_FIELDS:
        field = _field(lines[at])
        if field is None:
            if lines[at].strip():
                break
            at += 1
            continue
        at, taken = at + 1, taken + 1
        if field.kind == "text":
            return _with_body(passage, [field.value, *lines[at:]])
        passage = _with_field(passage, field.kind, field.value)
    if taken and not any(line.strip() for line in lines[at:]):
        return _with_body(Passage("", name=passage.name, guessed=passage.guessed), lines)
    return _with_body(passage, lines[at:])


def _with_body(passage: Passage, lines: list[str]) -> Passage:
    body = "\n".join(lines).strip()
    first, _, others = body.partition("\n")
    if not passage.title and others.strip() and _is_heading(first):
        passage, body = replace(passage, title=first.strip("#* \t")), others.strip()
    before, _, last = body.rpartition("\n")
    field = _field(last) if before.strip() else None
    if field is not None and field.kind in ("file", "page"):
        passage, body = _with_field(passage, field.kind, field.value), before.strip()
    return replace(passage, text=body)


def _is_heading(line: str) -> bool:
    bare = line.strip().strip("#*[]【】 \t")
    return bool(_LAW_HEADING.fullmatch(bare)) or bool(
        line.lstrip().startswith("#") and _is_title(bare)
    )


def _is_title(text: str) -> bool:
    return len(text) <= _LONGEST_TITLE_CHARS and not (
        _SENTENCE_END.search(text.rstrip()) and not is_file_name(text)
    )


def _field(line: str) -> _Field | None:
    head = line[:_READ_CHARS]
    found = _FIELD.match(head) if _SIGN.search(head) else None
    kind = field_kind(found[1]) if found else ""
    if found is None or not kind:
        return None
    value = line[found.start(2) :].strip()
    return _Field(kind, value) if kind == "text" or len(value) <= _LONGEST_VALUE_CHARS else None


def _with_field(passage: Passage, kind: str, given: str) -> Passage:
    value = given.strip("\"'*` ")
    if kind == "title" and value:
        return replace(passage, title=value)
    if kind == "file" and value:
        paged = _TRAILING_PAGE.search(value)
        page = page_number(paged[1] or paged[2]) if paged else passage.page
        return replace(passage, file=value[: paged.start()] if paged else value, page=page)
    if kind == "page":
        number = re.search(r"\d{1,5}", value)
        return replace(passage, page=int(number[0])) if number else passage
    if kind == "score":
        return replace(passage, score=unit_score(value))
    return passage


def _with_pairs(passage: Passage, head: str) -> Passage | None:
    """Read fields on one line: ``(유사도: 0.8, 출처: 규정.pdf)``, ``파일: a.pdf / 페이지: 3``."""
    if len(head) > 2 * _LONGEST_TITLE_CHARS or not _SIGN.search(head):
        return None
    outer, opener, rest = head.partition("(")
    title, pairs = (outer.strip(), rest) if opener and _PAIR.match(rest) else ("", head)
    known = [(field_kind(key), value) for key, value in _PAIR.findall(pairs)]
    if not known or any(kind in ("", "text") for kind, _ in known):
        return None
    if not title and not _PAIR.match(pairs.lstrip("([ ")):
        return None
    for kind, value in known:
        passage = _with_field(passage, kind, value)
    return replace(passage, title=title) if title else passage
