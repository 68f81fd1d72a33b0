"""Lists as Python prints them: ``['…', '…']`` and ``[Document(page_content='…', …)]``."""

import re

from proxy.openai_api.sources.found import Passage
from proxy.openai_api.sources.records import page_number, unit_score

_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_TOKEN = re.compile(
    rf"(?:\b(\w+)\s*=\s*|({_STRING})\s*:\s*)?({_STRING}|-?\d+(?:\.\d+)?)", re.DOTALL
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_CONTENT = ("page_content", "content", "text", "section_content", "snippet")
_TITLE = ("title", "section_title", "제목")
_FILE = ("source", "file", "file_name", "file_path", "url", "filename")
_OPENINGS = ("[", "(", "Document(", "{")
_CLOSINGS = ("]", ")", "}")


def printed_passages(text: str) -> tuple[Passage, ...]:
    """Return the passages of a printed list; none if the text is not one."""
    if not text.startswith(_OPENINGS) or not text.endswith(_CLOSINGS):
        return ()
    if not _is_printed(text):
        return ()
    named = "page_content=" in text or any(f"'{key}'" in text for key in _CONTENT)
    tokens = [(key, _unescaped(value)) for key, value in _tokens(text)]
    if not named:
        return tuple(Passage(value) for key, value in tokens if not key and value)
    return _documents(tokens)


def _is_printed(text: str) -> bool:
    """Nothing but names and punctuation may stand outside the strings."""
    outside = _TOKEN.sub("", text)
    return len(outside) <= 200 + len(text) // 4 and not re.search(r"[가-힣]", outside)


def _tokens(text: str) -> list[tuple[str, str]]:
    return [
        (match[1] or (match[2] or "").strip("'\""), match[3]) for match in _TOKEN.finditer(text)
    ]


def _unescaped(value: str) -> str:
    if value[:1] not in "'\"":
        return value
    return _ESCAPE.sub(_escape, value[1:-1]).strip()


def _escape(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    return _PLAIN_ESCAPES.get(escape, escape)


def _documents(tokens: list[tuple[str, str]]) -> tuple[Passage, ...]:
    """Gather the tokens of each document: a field that comes again belongs to the next one."""
    records: list[dict[str, str]] = [{}]
    for key, value in tokens:
        if key in records[-1]:
            records.append({})
        if key:
            records[-1][key] = value
    return tuple(_passage(record) for record in records if _first(record, _CONTENT))


def _passage(record: dict[str, str]) -> Passage:
    return Passage(
        text=_first(record, _CONTENT),
        title=_first(record, _TITLE),
        file=_first(record, _FILE),
        page=page_number(record.get("page", record.get("page_label"))),
        score=unit_score(record.get("score")),
    )


def _first(record: dict[str, str], keys: tuple[str, ...]) -> str:
    return next((record[key] for key in keys if record.get(key)), "")
