"""Passages in JSON: tool results, the ``documents`` field, a JSON object as user message.

Finds: lists of strings or of objects, alone or under a key such as ``results``, ``documents``,
    ``items``, ``data`` or ``matches``; an object's text, title, file, page and score under their
    usual names, also within ``metadata`` or ``document``.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from pydantic import JsonValue

from proxy.openai_api.sources import Passage

_FIELD_NAMES = {
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
_KEYS = {name: kind for kind, names in _FIELD_NAMES.items() for name in names.split("|")}
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


_CONTAINERS = (
    "results", "documents", "sources", "items", "data", "matches", "hits", "chunks", "passages",
    "contexts", "context", "records", "docs", "references", "source_documents",
    "retrieved_documents", "search_results", "output", "result", "response", "content", "value",
    "answer", "검색결과", "자료", "문서",
)  # fmt: skip
_TEXTS = (
    "section_content", "page_content", "pageContent", "content", "text", "snippet", "passage",
    "body", "chunk", "excerpt", "document_content", "chunk_text", "context", "summary",
    "description", "answer", "내용", "본문", "value", "document", "raw_content",
)  # fmt: skip
_TITLES = (
    "section_title", "title", "heading", "section", "subject", "question", "document_title", "name",
    "제목", "document_name", "조문",
)  # fmt: skip
_FILES = (
    "file", "file_name", "filename", "file_path", "source", "source_file", "path", "uri", "url",
    "link", "파일", "파일명", "출처",
)  # fmt: skip
_PAGES = ("page", "page_label", "page_number", "page_num", "페이지", "쪽")
_SCORES = ("score", "relevance_score", "similarity", "relevance", "_score", "유사도", "점수")
_NAMES = ("id", "index", "position", "번호")
_NESTED = (
    "metadata", "meta", "document", "data", "payload", "_source", "entity", "node", "chunk",
    "source",
)  # fmt: skip
_QUESTIONS = ("question", "query", "user_question", "user_query", "input", "질문", "질의", "prompt")
_FAILURES = ("error", "errors", "exception")
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class JsonPrompt:
    """A user message that is one JSON object."""

    question: str
    passages: tuple[Passage, ...]


def load_json(text: str) -> JsonValue | None:
    """Return the JSON object or array that a whole text is, fenced or not; None if it is none."""
    body = _unfenced(text.strip())
    if not body or body[0] not in "[{" or body[-1] not in "]}":
        return None
    try:
        value: JsonValue = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _unfenced(text: str) -> str:
    if not text.startswith("```") or not text.endswith("```") or "\n" not in text:
        return text
    return text[text.index("\n") : -3].strip()


def json_prompt(text: str) -> JsonPrompt | None:
    """Return the question and the passages of a user message that is a JSON object with both."""
    value = load_json(text)
    if not isinstance(value, dict):
        return None
    question = first_string(value, _QUESTIONS)
    found = next((key for key in _CONTAINERS if isinstance(value.get(key), list | str)), None)
    if not question or found is None:
        return None
    return JsonPrompt(question, passages_of(value[found]))


def leading_json(text: str) -> tuple[tuple[Passage, ...], int] | None:
    """Return the passages of a JSON value that begins a text, and where it ends; None if none does.

    It must be a list of records or hold one under a usual key; any other JSON is asked about.
    """
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] not in ("[", "{"):
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    records = value if isinstance(value, list) else first_list(value)
    if not records or not all(isinstance(record, dict) and _passage(record) for record in records):
        return None
    return passages_of_list(records), end


def first_list(value: Mapping[str, JsonValue]) -> list[JsonValue]:
    """Return the first list under a key that usually holds records."""
    lists = (value[key] for key in _CONTAINERS if key in value)
    return next((found for found in lists if isinstance(found, list)), [])


def passages_of(value: JsonValue, *, depth: int = 0) -> tuple[Passage, ...]:
    """Return the passages in a JSON value; none if it only reports that nothing was found."""
    if depth > _DEEPEST:
        return ()
    if isinstance(value, str):
        return (Passage(value.strip()),)
    if isinstance(value, list):
        return passages_of_list(value, depth=depth)
    if not isinstance(value, dict):
        return ()
    if parallel := _in_parallel(value):
        return parallel
    own = _passage(value)
    if own is not None:
        inner = load_json(own.text)
        return (own,) if inner is None else passages_of(inner, depth=depth + 1)
    for key in _CONTAINERS:
        if isinstance(value.get(key), list | dict):
            return passages_of(value[key], depth=depth + 1)
    if any(value.get(key) for key in _FAILURES) or not any(_holds_text(v) for v in value.values()):
        return ()
    return (Passage(_as_lines(value)),)


def _in_parallel(record: Mapping[str, JsonValue]) -> tuple[Passage, ...]:
    """Return the passages of a record that lists its texts, and what is known of each beside it.

    ``{"source": {"name": …}, "document": ["…", "…"], "metadata": [{…}, {…}]}``, as Open WebUI has
    them.
    """
    texts, described = record.get("document"), record.get("metadata")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return ()
    known = described if isinstance(described, list) else []
    pairs = zip_longest(texts, known[: len(texts)])
    each = ({**record, "document": text, "metadata": more} for text, more in pairs)
    found = (_passage(one) for one in each)
    return tuple(passage for passage in found if passage is not None)


def passages_of_list(values: Iterable[JsonValue], *, depth: int = 0) -> tuple[Passage, ...]:
    """Return the passages of a list, in order."""
    found = (passages_of(value, depth=depth + 1) for value in values)
    return tuple(passage for passages in found for passage in passages)


def _passage(record: Mapping[str, JsonValue]) -> Passage | None:
    nested = (record.get(key) for key in _NESTED)
    layers = [record, *(layer for layer in nested if isinstance(layer, dict))]
    text = next((found for layer in layers if (found := first_string(layer, _TEXTS))), "")
    if not text:
        return None
    title = next((found for layer in layers if (found := first_string(layer, _TITLES))), "")
    file = next((found for layer in layers if (found := first_string(layer, _FILES))), "")
    return Passage(
        text=text,
        title="" if title == text else title,
        file=file,
        page=next((page for layer in layers if (page := _page(layer)) is not None), None),
        score=next((score for layer in layers if (score := _score(layer)) is not None), None),
        name=_number_name(record),
    )


def first_string(record: Mapping[str, JsonValue], keys: Iterable[str]) -> str:
    """Return the first non-blank string under one of the keys; empty if there is none."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def page_number(value: JsonValue | None) -> int | None:
    """Return a page as number; None if it is none."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value.strip()[:9])
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def unit_score(value: JsonValue | None) -> float | None:
    """Return a score from 0 to 1; None if it is none, as distances and BM25 scores are not."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None


def _page(record: Mapping[str, JsonValue]) -> int | None:
    return next((n for key in _PAGES if (n := page_number(record.get(key))) is not None), None)


def _score(record: Mapping[str, JsonValue]) -> float | None:
    return next((n for key in _SCORES if (n := unit_score(record.get(key))) is not None), None)


def _number_name(record: Mapping[str, JsonValue]) -> str:
    """Return a record's own number; long ids are for machines and are never cited."""
    for key in _NAMES:
        value = record.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool):
            text = str(value)
            if text.isascii() and text.isdigit() and len(text) <= 3:
                return text
    return ""


def _holds_text(value: JsonValue) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return value not in (None, [], {}) and not isinstance(value, bool)


def _as_lines(value: JsonValue, name: str = "", depth: int = 0) -> str:
    """Write a record without any text field, such as a weather report, as lines to read."""
    if isinstance(value, dict | list) and depth <= _DEEPEST:
        pairs = value.items() if isinstance(value, dict) else enumerate(value, start=1)
        lines = (_as_lines(item, f"{name}.{key}".lstrip("."), depth + 1) for key, item in pairs)
        return "\n".join(line for line in lines if line)
    return f"{name}: {value}" if _holds_text(value) and not isinstance(value, dict | list) else ""
