"""Cuts the text of a context block into passages.

The first line decides: JSON, a list as Python prints it, ``[Source: …]`` marks, tags, or a line
that opens a numbered or headed passage, and then every line of the same style and a higher number
opens the next one. Else rules (``------``) part the passages, else blank lines, the join of most
frameworks.
"""

import re
from collections.abc import Callable

from proxy.openai_api.sources import Passage
from proxy.openai_api.sources.lines import Kind, Line, read_lines
from proxy.openai_api.sources.markup import has_marks, marked_passages, tagged_passages
from proxy.openai_api.sources.records import (
    FILE_LABEL,
    field_kind,
    load_json,
    opens_fields,
    page_number,
    passages_of,
    read_passage,
    unit_score,
    with_value,
)

_RULER = re.compile(r"[\s|:\-]+")
_UNESCAPED_BAR = re.compile(r"(?<!\\)\|")


def table_passages(text: str) -> tuple[Passage, ...]:
    """Return one passage for each row; none if the text is no table with a column of passages."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        return ()
    separator = "|" if lines[0].lstrip().startswith("|") else "\t"
    kinds = [field_kind(cell.strip("* ")) for cell in _cells(lines[0], separator)]
    if "text" not in kinds:
        return ()
    rows = [_cells(line, separator) for line in lines[1:] if not _RULER.fullmatch(line)]
    if not rows or any(len(row) != len(kinds) for row in rows):
        return ()
    return tuple(_row_passage(kinds, row) for row in rows)


def _cells(line: str, separator: str) -> list[str]:
    if separator == "\t":
        return [cell.strip() for cell in line.split("\t")]
    bare = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _UNESCAPED_BAR.split(bare)]


def _row_passage(kinds: list[str], row: list[str]) -> Passage:
    passage = Passage("")
    for kind, cell in zip(kinds, row, strict=True):
        passage = with_value(passage, kind, cell)
    return passage


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
    return tuple(_printed_passage(record) for record in records if _first(record, _CONTENT))


def _printed_passage(record: dict[str, str]) -> Passage:
    return Passage(
        text=_first(record, _CONTENT),
        title=_first(record, _TITLE),
        file=_first(record, _FILE),
        page=page_number(record.get("page", record.get("page_label"))),
        score=unit_score(record.get("score")),
    )


def _first(record: dict[str, str], keys: tuple[str, ...]) -> str:
    return next((record[key] for key in keys if record.get(key)), "")


_SYMBOL = re.compile(r"([▷▶►▸■□◆◇●○◎★☆※➤•◦‣📄📌📝🔹🔸✔✓])\s*")
_HASHES = re.compile(r"(#{1,6})\s+")
_COUNTED = re.compile(r"(\d{1,3})[.)]\s+")
_BULLET = re.compile(r"([-*])\s+")
_BRACKETED = re.compile(r"([\[【〈《『])([^\]】〉》』\n]{1,100})[\]】〉》』](?=\s|:|$)[ \t:]*")
_END_MARK = re.compile(
    r"[\[<【]{1,2}\s?(?:END|/|끝)[^\]>】\n]{0,40}[\]>】]{1,2}|END (?:OF )?[A-Z]{3,12}(?: \d{1,3})?",
    re.IGNORECASE,
)
# Statutes close their articles with such lines; they name no passage.
_AMENDED = re.compile(r"[\[【][^\n]{0,40}(?:개정|신설|삭제|시행|제정|이동|종전|폐지)")


def split_passages(text: str, *, guessed: bool = False) -> tuple[Passage, ...]:
    """Return the passages of a context block in order; none if it is blank."""
    body = _unquoted(_unindented(_without_rules(text)))
    if not body:
        return ()
    value = load_json(body)
    if value is not None:
        return passages_of(value)
    if has_marks(body):
        return marked_passages(body)
    whole = tagged_passages(body, split_passages) or printed_passages(body) or table_passages(body)
    return whole or tuple(
        read_passage(piece, head=head, name=name, guessed=guessed)
        for name, head, piece in _pieces(body)
    )


def _unindented(text: str) -> str:
    """Take off the ``>`` before each line of a quotation."""
    if not text.startswith(">") or text.startswith(">>"):
        return text
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in text.split("\n"))


def _unquoted(text: str) -> str:
    """Take off the quotes or the code fence that a template put around the whole block."""
    for fence in ('"""', "'''", "```", "~~~"):
        if text.startswith(fence) and text.endswith(fence) and len(text) >= 2 * len(fence):
            inner = text[len(fence) : -len(fence)]
            first, newline, rest = inner.partition("\n")
            return (rest if newline and re.fullmatch(r"\w{0,12}", first) else inner).strip()
    return text


_Piece = tuple[str, str, str]


def _pieces(text: str) -> list[_Piece]:
    """Return name, head and body of each piece."""
    lines = read_lines(text)
    content = [line for line in lines if line.kind is not Kind.BLANK]
    opening = next((line for line in content if line.kind is not Kind.RULE), None)
    if opening is None:
        return []
    if opening.kind is Kind.ITEM:
        return _numbered_pieces(text, content, opening)
    for openers in (_by_rules, _by_first_line, _by_metadata):
        starts = openers(text, lines)
        if len(starts) > 1 or (starts and openers is not _by_rules):
            return [_piece(text, begin, end) for begin, end in _between(starts, len(text))]
    return [("", "", piece) for piece in _paragraphs(text, lines)]


def _numbered_pieces(text: str, content: list[Line], opening: Line) -> list[_Piece]:
    openers: list[Line] = []
    for line in content:
        same = line.kind is Kind.ITEM and line.style == opening.style
        if same and (not openers or int(line.number or 0) > int(openers[-1].number or 0)):
            openers.append(line)
    ends = [line.start for line in openers[1:]] + [len(text)]
    return [
        (
            line.number,
            *_head_and_body(line, text[line.rest_start : end]),
        )
        for line, end in zip(openers, ends, strict=True)
    ]


def _head_and_body(line: Line, words: str) -> tuple[str, str]:
    unquoted = _unquoted(words.strip())
    if unquoted != words.strip():
        return line.label, unquoted
    beside, _, below = words.partition("\n")
    head = " ".join(part for part in (line.label, beside.strip()) if part)
    return head, _without_rules(below)


def _without_rules(text: str) -> str:
    """Take off the rules at the edges of a piece."""
    lines = text.strip().split("\n")
    while lines and _is_rule(lines[-1]):
        lines.pop()
    while lines and _is_rule(lines[0]):
        lines.pop(0)
    return "\n".join(lines).strip()


def _is_rule(line: str) -> bool:
    bare = line.strip()
    if _END_MARK.fullmatch(bare):
        return True
    return not bare or (len(bare) >= 3 and bare[0] in "-=*_#~─━═—–+<>" and not bare.strip(bare[0]))


def _by_rules(text: str, lines: tuple[Line, ...]) -> list[int]:
    starts = [0] + [line.end for line in lines if line.kind is Kind.RULE]
    return [
        begin
        for begin, end in _between(starts, len(text))
        if not _is_rule(text[begin:end]) and _without_rules(text[begin:end])
    ]


def _by_first_line(text: str, lines: tuple[Line, ...]) -> list[int]:
    """Find the lines that begin as the first one: ``▷ …``, ``## …``, ``1. …``, ``[규정] …``."""
    first = next(line for line in lines if line.kind not in (Kind.BLANK, Kind.RULE))
    style = _style(text, first)
    if not style:
        return []
    starts: list[int] = []
    parted = True
    for line in lines:
        if line.kind in (Kind.BLANK, Kind.RULE):
            parted = True
            continue
        needs_gap = style == "counted" or (style == "bracketed" and not _is_whole(text, line))
        if _style(text, line) == style and (parted or not needs_gap):
            starts.append(line.start)
        parted = False
    if style == "counted" and not _counts_up(text, starts):
        return []
    return starts


def _is_whole(text: str, line: Line) -> bool:
    """Tell whether a bracket fills its line."""
    return text[line.start : line.end].rstrip().endswith(("]", "】", "〉", "》", "』"))


def _style(text: str, line: Line) -> str:
    head = text[line.start : min(line.end, line.start + 120)]
    if FILE_LABEL.match(head):
        return "filed"
    if _AMENDED.match(head):
        return ""
    for pattern in (_SYMBOL, _HASHES):
        found = pattern.match(head)
        if found:
            return found[1]
    if _COUNTED.match(head):
        return "counted"
    if _BRACKETED.match(head):
        return "bracketed"
    bullet = _BULLET.match(head)
    return bullet[1] if bullet else ""


def _counts_up(text: str, starts: list[int]) -> bool:
    found = [_COUNTED.match(text, start) for start in starts]
    return [int(match[1]) for match in found if match] == list(range(1, len(starts) + 1))


def _by_metadata(text: str, lines: tuple[Line, ...]) -> list[int]:
    """Find the first line of each group of fields, as LlamaIndex writes them above a node."""
    starts: list[int] = []
    last = Kind.BLANK
    for line in lines:
        if last is Kind.BLANK and opens_fields(text[line.start : line.end]):
            starts.append(line.start)
        last = line.kind
    first = next(line for line in lines if line.kind is not Kind.BLANK)
    return starts if starts and starts[0] == first.start else []


def _between(starts: list[int], end: int) -> list[tuple[int, int]]:
    return list(zip(starts, [*starts[1:], end], strict=True))


def _piece(text: str, begin: int, end: int) -> _Piece:
    piece = _without_rules(text[begin:end])
    first, _, rest = piece.partition("\n")
    for pattern, use in _HEADS:
        found = pattern.match(first)
        if found:
            name, head = use(found, first[found.end() :].strip())
            return name, head, rest
    return "", "", piece


_HEADS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], tuple[str, str]]], ...] = (
    (FILE_LABEL, lambda found, rest: ("", f"파일: {found[0].strip(' :：')}\n{rest}")),
    (_SYMBOL, lambda _, rest: ("", rest)),
    (_HASHES, lambda _, rest: ("", rest)),
    (_COUNTED, lambda found, rest: (found[1], rest)),
    (_BRACKETED, lambda found, rest: ("", f"{found[2]}\n{rest}" if rest else found[2])),
    (_BULLET, lambda _, rest: ("", rest)),
)


def _paragraphs(text: str, lines: tuple[Line, ...]) -> list[str]:
    """Cut at blank lines; a paragraph that reads as a heading stays with the one behind it."""
    pieces: list[str] = []
    begin = 0
    waiting = ""
    for line in (*lines, Line(len(text), len(text), Kind.BLANK)):
        if line.kind not in (Kind.BLANK, Kind.RULE):
            continue
        piece = text[begin : line.start].strip()
        begin = line.end
        if not piece:
            continue
        if _leads(piece):
            waiting = f"{waiting}{piece}\n"
        else:
            pieces.append(waiting + piece)
            waiting = ""
    return [*pieces, waiting.strip()] if waiting else pieces


def _leads(piece: str) -> bool:
    """Tell whether a paragraph only leads to the next one: short, one line, no sentence."""
    return "\n" not in piece and len(piece) <= 60 and piece[-1] not in ".!?다요음함"
