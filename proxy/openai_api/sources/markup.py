"""Tags around context, passages and question: ``<context>``, ``<document index="1">``, ``<문서1>``.

A tag counts only with its closing tag, and an empty pair in the middle of a line is a mention
("use what stands in <data></data>"), not a block. What stands between ``<![CDATA[`` and ``]]>`` is
text, whatever it looks like.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import unescape

from proxy.openai_api.sources import Passage
from proxy.openai_api.sources.lines import Role, role_of
from proxy.openai_api.sources.records import is_file_name, page_number, read_passage, unit_score

_MARK = re.compile(
    r"^[ \t>*#-]{0,8}\[(Source|출처|소스)\s?[:：]\s*([^\]\n]{1,300})\]",
    re.MULTILINE | re.IGNORECASE,
)
_PAGE = re.compile(r"\[(?:Page|페이지|쪽)\s?[:：]?\s*(\d{1,5})\]", re.IGNORECASE)
_INLINE_PAGE = re.compile(
    r"\s*[,|;]\s*(?:p\.?|page|페이지)\s*[:：]?\s*(\d{1,5})\s*$", re.IGNORECASE
)
_OPENER = re.compile(r"\[source", re.IGNORECASE)
_POSITION, _LENGTH, _COUNT = 0.4, 0.4, 0.2
_FULL_LENGTH_CHARS = 80
_FULL_COUNT = 3


# Relevance is 40 % position (earlier is better), 40 % length of the passage and 20 % how often its
# file is marked. A passage of two sentences has the full length, a file marked three times the full
# count. The Korean mark ``[출처: …]`` is a plain heading of many apps and has no relevance.


def has_marks(text: str) -> bool:
    """Tell whether a block is written with source marks: its first line is one."""
    return _MARK.match(text.lstrip()) is not None


def speaks_of_source(text: str) -> bool:
    """Tell whether a mark of the citing system may stand anywhere in a text."""
    return _OPENER.search(text) is not None


def opens_passage(line: str) -> bool:
    """Tell whether a line is a mark of the citing system, and nothing else."""
    found = _MARK.fullmatch(line.rstrip())
    return found is not None and found[1].lower() == "source"


def marked_passages(text: str) -> tuple[Passage, ...]:
    """Return the passages below the marks, each with its relevance."""
    marks = list(_MARK.finditer(text))
    counts = Counter(_file(mark)[0] for mark in marks)
    passages: list[Passage] = []
    for at, mark in enumerate(marks):
        end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
        file, page = _file(mark)
        for number, begin, excerpt in _by_page(text, mark.end(), end, page):
            passage = Passage(excerpt, file=file, page=number)
            if mark[1].lower() == "source":
                weight = _relevance(begin / len(text), len(excerpt), counts[file])
                passage = replace(passage, relevance=weight)
            passages.append(passage)
    return tuple(passages)


def _file(mark: re.Match[str]) -> tuple[str, int | None]:
    name = mark[2].strip()
    paged = _INLINE_PAGE.search(name)
    return (name[: paged.start()], int(paged[1])) if paged else (name, None)


def _by_page(
    text: str, begin: int, end: int, page: int | None
) -> list[tuple[int | None, int, str]]:
    """Return page, place and words of each page's part below one source mark."""
    parts: list[tuple[int | None, int, str]] = []
    for match in [*_PAGE.finditer(text, begin, end), None]:
        excerpt = text[begin : match.start() if match else end].strip().strip("-=").strip()
        if excerpt or (match is None and not parts):
            parts.append((page, begin, excerpt))
        if match:
            page, begin = int(match[1]), match.end()
    return parts


def _relevance(position: float, chars: int, count: int) -> float:
    return (
        _POSITION * (1 - position)
        + _LENGTH * min(1.0, chars / _FULL_LENGTH_CHARS)
        + _COUNT * min(1.0, count / _FULL_COUNT)
    )


_TAG = re.compile(r"<(/?)([A-Za-z가-힣一-鿿][^\s<>/\"'=]{0,39})((?:\s[^<>]{0,500})?)>")
_ATTRIBUTE = re.compile(r"([\w-]{1,30})\s{0,3}=\s{0,3}(?:\"([^\"]*)\"|'([^']*)')")
_MORE_CONTEXT_TAGS = frozenset(
    "data qa quote quotes result results item search_results search_result retrieved retrieval "
    "file files uploaded_files text_unit kb rag cite page".split()
)
_CONTENT_TAGS = (
    "document_content", "content", "text", "page_content", "body", "snippet", "chunk", "passage",
    "section_content", "내용", "본문", "passage_content", "source_content", "contents",
)  # fmt: skip
_TITLE_TAGS = ("title", "name", "heading", "section_title", "제목", "document_title", "조문", "h")
_FILE_TAGS = (
    "source", "file", "filename", "url", "uri", "path", "출처", "file_name", "source_url", "파일명",
)  # fmt: skip
_PAGE_TAGS = ("page", "page_number", "page_label", "페이지")
_SCORE_TAGS = ("score", "similarity", "relevance", "유사도")
_NAME_TAGS = ("id", "index", "number", "번호", "document_index", "no")
_FIELD_TAGS = frozenset(
    (*_CONTENT_TAGS, *_TITLE_TAGS, *_FILE_TAGS, *_PAGE_TAGS, *_SCORE_TAGS, *_NAME_TAGS, "metadata")
)


_MARKUP = re.compile(
    r"</?(?:p|br|div|span|ul|ol|li|b|strong|em|h[1-6]|section|body)(?:\s[^<>]{0,200})?/?>"
)
_VERBATIM = "<![CDATA["
_VERBATIM_END = "]]>"
_DEEPEST = 6

Split = Callable[[str], tuple[Passage, ...]]


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with its closing tag.

    Attributes:
        name: In lower case, without a number at its end.
        number: The number at the end of the name, or the ``id`` or ``index`` attribute.
    """

    name: str
    number: str
    start: int
    inner_start: int
    inner_end: int
    end: int
    attributes: Mapping[str, str]
    role: Role | None
    children: list["Element"] = field(default_factory=list)

    def attribute(self, names: Iterable[str]) -> str:
        """Return the first of some attributes; empty if it has none of them."""
        return next((found for name in names if (found := self.attributes.get(name, ""))), "")


def read_elements(text: str) -> tuple[Element, ...]:
    """Return the outermost elements with a role, in order."""
    found: list[Element] = []
    waiting = list(reversed(_tree(text)))
    while waiting:
        item = waiting.pop()
        if item.role and not _is_mention(text, item):
            found.append(item)
        else:
            waiting.extend(reversed(item.children))
    return tuple(found)


def _tree(text: str) -> list[Element]:
    """Return the outermost elements; of two that overlap only the first counts."""
    roots: list[Element] = []
    around: list[Element] = []
    for item in sorted(_pairs(text), key=lambda element: element.start):
        while around and item.start >= around[-1].end:
            around.pop()
        if around and item.end > around[-1].inner_end:
            continue
        (around[-1].children if around else roots).append(item)
        around.append(item)
    return roots


def _pairs(text: str) -> list[Element]:
    if "</" not in text:
        return []
    opened: dict[str, list[re.Match[str]]] = {}
    found: list[Element] = []
    for tag in _tags(text):
        waiting = opened.setdefault(tag[2].lower(), [])
        if not tag[1]:
            waiting.append(tag)
        elif waiting:
            found.append(_element(waiting.pop(), tag))
    return found


def _tags(text: str) -> Iterator[re.Match[str]]:
    position = 0
    for start, end in _verbatim(text):
        yield from _TAG.finditer(text, position, start)
        position = end
    yield from _TAG.finditer(text, position)


def _verbatim(text: str) -> Iterator[tuple[int, int]]:
    """Yield the half-open places of what is marked to be text."""
    start = text.find(_VERBATIM)
    while start >= 0 and (end := text.find(_VERBATIM_END, start)) >= 0:
        end += len(_VERBATIM_END)
        yield start, end
        start = text.find(_VERBATIM, end)


def _unmarked(text: str) -> str:
    """Return a text without the marks around what is to be text."""
    if _VERBATIM not in text:
        return text
    parts: list[str] = []
    position = 0
    for start, end in _verbatim(text):
        parts += [text[position:start], text[start + len(_VERBATIM) : end - len(_VERBATIM_END)]]
        position = end
    return "".join([*parts, text[position:]])


def _element(opening: re.Match[str], closing: re.Match[str]) -> Element:
    attributes = {
        match[1].lower(): unescape(match[2] or match[3] or "").strip()
        for match in _ATTRIBUTE.finditer(opening[3])
    }
    full = opening[2].lower()
    name = full.rstrip("0123456789").rstrip("_-") or full
    digits = full[len(full.rstrip("0123456789")) :]
    return Element(
        name=name,
        number=next((attributes[key] for key in _NAME_TAGS if attributes.get(key)), digits),
        start=opening.start(),
        inner_start=opening.end(),
        inner_end=closing.start(),
        end=closing.end(),
        attributes=attributes,
        role=_role(name),
    )


def _role(name: str) -> Role | None:
    if name in _MORE_CONTEXT_TAGS:
        return Role.CONTEXT
    role = role_of(name.replace("-", " ").replace("_", " "))
    return None if role is Role.END else role


def _is_mention(text: str, item: Element) -> bool:
    if text[item.inner_start : item.inner_end].strip():
        return False
    begin, end = item.start, item.end
    while begin and text[begin - 1] != "\n" and text[begin - 1].isspace():
        begin -= 1
    while end < len(text) and text[end] != "\n" and text[end].isspace():
        end += 1
    return text[begin - 1 : begin] not in ("", "\n") or text[end : end + 1] not in ("", "\n")


def tagged_passages(text: str, split: Split) -> tuple[Passage, ...]:
    """Return the passages of a text that is written as elements side by side; none if it is not.

    Args:
        text: The content of a context block.
        split: Cuts the content of an element that holds no further elements.
    """
    outer = [item for item in read_elements(text) if item.role is Role.CONTEXT]
    if sum(item.end - item.start for item in outer) * 2 < len(text):
        return ()
    return tuple(passage for item in outer for passage in element_passages(text, item, split))


def element_passages(text: str, item: Element, split: Split, depth: int = 0) -> list[Passage]:
    """Return the passages of one context element: itself, or those of the elements within it."""
    contents = sum(one.name in _CONTENT_TAGS for one in item.children)
    if contents == 1 or depth > _DEEPEST:
        return [_fielded(text, item)]
    inner = text[item.inner_start : item.inner_end]
    children = [one for one in item.children if one.role is Role.CONTEXT or contents > 1]
    if sum(one.end - one.start for one in children) * 2 >= len(inner.strip()) > 0:
        nested = (element_passages(text, one, split, depth + 1) for one in children)
        return [passage for passages in nested for passage in passages]
    if any(one.name in _FIELD_TAGS for one in item.children):
        return [_fielded(text, item)]
    # An element with a number or a title is one passage, however many blank lines it holds.
    whole = bool(item.number or item.attributes)
    inner = _MARKUP.sub("\n", _unmarked(inner))
    passages = (read_passage(inner, name=item.number),) if whole else split(inner)
    return [_described(item, passage) for passage in passages]


def _described(item: Element, passage: Passage) -> Passage:
    """Add what the attributes say."""
    page = page_number(item.attribute(_PAGE_TAGS))
    called = item.attribute(_TITLE_TAGS)
    # Beside a title in the text, or with an ending, the name is that of the document.
    document = called if passage.title not in ("", called) or is_file_name(called) else ""
    return replace(
        passage,
        title=passage.title or called,
        file=passage.file or item.attribute(_FILE_TAGS) or document,
        page=passage.page if page is None else page,
        score=unit_score(item.attribute(_SCORE_TAGS)) if passage.score is None else passage.score,
        name=passage.name or item.number,
    )


def _fielded(text: str, item: Element) -> Passage:
    """Read ``<source>…</source><document_content>…</document_content>``."""
    values = {
        one.name: _unmarked(text[one.inner_start : one.inner_end]).strip() for one in item.children
    }

    def value(names: Iterable[str]) -> str:
        return next((values[name] for name in names if values.get(name)), "")

    read = read_passage(value(_CONTENT_TAGS) or _outside_fields(text, item))
    found = Passage(
        text=read.text,
        title=value(_TITLE_TAGS) or read.title,
        file=value(_FILE_TAGS) or read.file,
        page=page_number(value(_PAGE_TAGS)),
        score=unit_score(value(_SCORE_TAGS)),
        name=value(_NAME_TAGS) or item.number,
    )
    return _described(item, found)


def _outside_fields(text: str, item: Element) -> str:
    parts: list[str] = []
    at = item.inner_start
    for one in item.children:
        if one.name in _FIELD_TAGS:
            parts.append(text[at : one.start])
            at = one.end
    return "".join([*parts, text[at : item.inner_end]]).strip()
