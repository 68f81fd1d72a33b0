"""Fields above or below a passage: ``제목: …``, ``file_path: …``, ``(유사도: 0.8, 출처: 규정.pdf, 페이지: 3)``."""

import re
from dataclasses import dataclass, replace

from proxy.openai_api.sources.found import Passage
from proxy.openai_api.sources.records import page_number, unit_score

_KEYS = {
    **dict.fromkeys(
        ("title", "제목", "문서명", "문서 제목", "규정명", "section_title", "section", "heading", "name", "조항명", "조문",
         "document title", "document", "문서", "법령명", "source_title", "자료명", "자료 제목", "규정 제목"), "title"),
    **dict.fromkeys(
        ("source", "출처", "file", "file_name", "filename", "file_path", "파일", "파일명", "url", "uri", "링크", "link",
         "path", "위치", "document_name"), "file"),
    **dict.fromkeys(("page", "page_label", "page_number", "page_num", "페이지", "쪽", "쪽수"), "page"),
    **dict.fromkeys(
        ("score", "similarity", "relevance", "relevance_score", "유사도", "점수", "관련도", "search_score"), "score"),
    **dict.fromkeys(
        ("content", "text", "내용", "본문", "page_content", "passage", "excerpt", "snippet", "발췌", "section_content",
         "document chunk", "body", "문서 내용", "자료 내용", "규정 내용"), "text"),
    **dict.fromkeys(
        ("id", "index", "번호", "date", "날짜", "category", "카테고리", "chunk_id", "doc_id", "document_id", "분류", "부서",
         "시행일", "개정일", "creation_date", "last_modified_date", "file_type", "file_size", "total_pages", "chunk",
         "author", "producer", "creator"), "other"),
}  # fmt: skip
_FIELD = re.compile(
    r"[\s\-*•├└─│#>📄📍📝🔗📌]{0,16}(?:\*\*|[\"'\[])?([A-Za-z가-힣_]{1,16}(?: [A-Za-z가-힣]{1,10})?)(?:\*\*|[\"'\]])?"
    r"\s{0,3}[:：](?:\*\*)?[ \t]*(.*)"
)
_PAIR = re.compile(r"([A-Za-z가-힣_]{1,16})\s{0,3}[:：=]\s{0,3}([^|/·,:：=()\[\]]{1,200})")
_TRAILING_PAGE = re.compile(
    r"(?:,|\s)\s*(?:p\.?\s?|page\s)(\d{1,5})$|[,\s]\s*(\d{1,5})\s?(?:쪽|페이지|면)$", re.I
)
_LAW_HEADING = re.compile(r"(?:[^\n.]{0,60}\s)?제\d{1,4}조(?:의\d{1,3})?\s?[(（][^\n]{1,100}[)）]")
_SENTENCE_END = re.compile(r"(?:다|요|음|함|까|죠)[.!?]?$|[.!?]$")
_MOST_FIELDS = 16
_LONGEST_TITLE_CHARS = 120
_FILE_NAME = re.compile(
    r"[^\s/][^\n/]{0,150}\.(?:pdf|docx?|hwpx?|txt|md|html?|xlsx?|pptx?|csv|json)", re.I
)


@dataclass(frozen=True, slots=True)
class _Field:
    kind: str
    value: str


def field_kind(name: str) -> str:
    """Return what a field of this name holds (``title``, ``file``, ``page``, …); empty if unknown."""
    return _KEYS.get(name.lower(), "")


def opens_fields(line: str) -> bool:
    """Tell whether a line is the field that a passage's fields begin with: its title, file or page."""
    field = _field(line)
    return field is not None and field.kind in ("title", "file", "page", "score", "other")


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
        _SENTENCE_END.search(text.rstrip()) and not _FILE_NAME.fullmatch(text.strip())
    )


def _field(line: str) -> _Field | None:
    found = _FIELD.fullmatch(line.rstrip()[:2000]) if len(line) < 2000 else _FIELD.match(line)
    kind = _KEYS.get(found[1].lower()) if found else None
    if found is None or kind is None:
        return None
    value = line[found.start(2) :].strip()
    if kind in ("other", "page", "score", "title", "file") and len(value) > 200:
        return None
    return _Field(kind, value)


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
    """Read fields on one line: ``(유사도: 0.83, 출처: 규정.pdf)``, ``파일: 규정.pdf / 페이지: 3``."""
    if len(head) > 2 * _LONGEST_TITLE_CHARS:
        return None
    outer, opener, rest = head.partition("(")
    title, pairs = (outer.strip(), rest) if opener and _PAIR.match(rest) else ("", head)
    known = [(_KEYS.get(key.lower()), value) for key, value in _PAIR.findall(pairs)]
    if not known or any(kind in (None, "text") for kind, _ in known):
        return None
    if not title and not _PAIR.match(pairs.lstrip("([ ")):
        return None
    for kind, value in known:
        passage = _with_field(passage, str(kind), value)
    return replace(passage, title=title) if title else passage
