"""Finds the question and the sources in the body of a chat request.

Where evidence may stand, most trusted first:

1. ``guard.sources``: exactly these, and nothing is searched for.
2. The field ``documents``, else ``sources``, system and developer messages wherever they stand, and
   the results of tools and functions. Those of earlier turns count too, unless the search for this
   question came back empty. No user can write here.
3. Only if none of these surely holds a context block, found or empty: the last user turn, and the
   assistant's text beside it, as far as a template built them. Many apps put the context there, and
   a user could imitate it; that is why the channels above silence this one, and why a policy may
   close it (``conversation_blocks: false``).

A block of 2 that only the wording of its surroundings gives away is guessed: it stands behind the
sure ones and silences none of them.

In 3 a block counts if it is set off by a heading, tags, a rule or numbers *and* the question stands
apart from it: behind its own heading, tag, rule, or an instruction that points at the context. A
text that somebody pasted into his question has neither. Behind the question's heading all is the
user's own. The assistant's text counts if it says that it found documents, numbers them, and the
user's turn points at them or the request ends with it. What stood in earlier user turns is no
evidence.

A passage marked ``[Source: …]`` needs the least relevance, only the best few count, and one a page.
Such a one, and one that only a sentence announced, needs the least length. What is blank, says that
nothing was found or repeats another passage never counts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import JsonValue

from guards.core.exchange import ContextState, Source
from guards.core.finding import Span
from policies.schema.policy import SourceRules
from policies.verification.conversation import PART_SEPARATOR, Message, Turns, read_turns
from proxy.openai_api.sources import (
    Block,
    DroppedSource,
    FoundContext,
    FoundPlace,
    Passage,
    SourceFormatError,
)
from proxy.openai_api.sources.message_text import ReadText, read_text
from proxy.openai_api.sources.passages import split_passages
from proxy.openai_api.sources.records import passages_of_list
from proxy.openai_api.sources.speech import introduces_context, points_back

_NO_RESULT = re.compile(
    r"(?:관련|검색|참고|해당|조회|제공|일치|저장|근거)[^\n]{0,24}?"
    r"(?:문서|자료|결과|정보|내용|컨텍스트|규정|항목|근거|데이터)[^\n]{0,12}?(?:없|찾(?:을\s수|지\s)|못)"
    r"|(?:문서|자료|결과|컨텍스트|정보)\s?(?:없음|가\s없습니다|를\s찾)"
    r"|\bno\s(?:\w+\s){0,3}(?:documents?|results?|context|information|matches|passages?|sources?)\b"
    r"|\b(?:documents?|results?|context|nothing)\b[^\n]{0,20}\bnot?\s?(?:found|available)"
    r"|nothing\s(?:was\s)?found|没有(?:找到|相关)",
    re.IGNORECASE,
)
_BLANK = re.compile(
    r"[\s\"'`(\[{<【]*"
    r"(?:none|null|nil|n/?a|empty|없음|해당\s?없음|내용\s?없음|undefined|nan|-+|\.+|\w+(?=\}))?"
    r"[\s\"'`)\]}>】.]*",
    re.IGNORECASE,
)
_LONGEST_NOTICE_CHARS = 80
MOST_SOURCES = 500
_SHOWN_CHARS = 40
_BEGINNING_CHARS = 40
MemberT = TypeVar("MemberT")


def usable(
    passages: tuple[Passage, ...], rules: SourceRules, *, exact: bool = False
) -> tuple[tuple[Passage, ...], tuple[DroppedSource, ...]]:
    """Return the passages that count, in order, and those that do not.

    Args:
        rules: The tenant's thresholds.
        exact: The caller named them itself, so only blank ones are dropped.
    """
    kept: list[Passage] = []
    dropped: list[DroppedSource] = []
    seen = _SeenSources()
    best = _most_relevant(passages, rules)
    # What one sentence announced is one text, however many short paragraphs it has.
    announced = sum(len(passage.text.strip()) for passage in passages if passage.guessed)
    if announced >= rules.min_excerpt_chars:
        passages = tuple(replace(passage, guessed=False) for passage in passages)
    for at, passage in enumerate(passages):
        reason = _fault(passage, rules, exact=exact)
        if not reason and not exact:
            reason = seen.repeated(passage)
        crowded = passage.relevance is not None and at not in best
        if not reason and not exact and (crowded or len(kept) >= MOST_SOURCES):
            reason = "too_many"
        if reason:
            dropped.append(DroppedSource(reason, _preview(passage)))
        else:
            kept.append(passage)
    return tuple(kept), tuple(dropped)


def _fault(passage: Passage, rules: SourceRules, *, exact: bool) -> str:
    text = passage.text.strip()
    if exact:
        return "" if _has_words(passage) else "empty"
    if len(text) <= _LONGEST_NOTICE_CHARS and _BLANK.fullmatch(text):
        return "empty"
    if len(text) <= _LONGEST_NOTICE_CHARS and _NO_RESULT.search(text):
        return "no_result"
    measured = passage.guessed or passage.relevance is not None
    if measured and len(text) < rules.min_excerpt_chars:
        return "too_short"
    if passage.relevance is not None and passage.relevance < rules.min_relevance:
        return "low_relevance"
    return ""


def _has_words(passage: Passage) -> bool:
    """Tell whether a passage says anything: a number alone does so only below a title."""
    words = (passage.title, passage.text)
    named = any(char.isalpha() for text in words for char in text)
    return named and any(char.isalnum() for char in passage.text)


class _SeenSources:
    """The passages so far, by what they say; white space does not count.

    Only those that begin alike are compared to their ends: to take the white space out of all of
    them would take longer than to find them.
    """

    def __init__(self) -> None:
        self._pages: set[tuple[str, int | None]] = set()
        self._first: dict[tuple[str, str], str] = {}
        self._alike: dict[tuple[str, str], set[str]] = {}

    def repeated(self, passage: Passage) -> str:
        """Tell whether a passage repeats one before it, and remember it."""
        is_duplicate = self._is_duplicate(passage)
        if passage.relevance is None:
            return "duplicate" if is_duplicate else ""
        page = (passage.file, passage.page)
        is_same_page = page in self._pages
        self._pages.add(page)
        return "duplicate" if is_duplicate else "same_page" if is_same_page else ""

    def _is_duplicate(self, passage: Passage) -> bool:
        begins = (passage.title, _beginning(passage.text))
        if begins not in self._first:
            self._first[begins] = passage.text
            return False
        if begins not in self._alike:
            self._alike[begins] = {_squeezed(self._first[begins])}
        alike, squeezed = self._alike[begins], _squeezed(passage.text)
        is_known = squeezed in alike
        alike.add(squeezed)
        return is_known


def _beginning(text: str) -> str:
    """Return the first signs of a text that are no white space."""
    squeezed = _squeezed(text[: 2 * _BEGINNING_CHARS])
    if len(squeezed) < _BEGINNING_CHARS:
        squeezed = _squeezed(text)
    return squeezed[:_BEGINNING_CHARS]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _most_relevant(passages: tuple[Passage, ...], rules: SourceRules) -> frozenset[int]:
    """Return the places of the marked passages that count when there are more than allowed."""
    if all(passage.relevance is None for passage in passages):
        return frozenset()
    pages: dict[tuple[str, int | None], int] = {}
    for at, passage in enumerate(passages):
        if not _fault(passage, rules, exact=False):
            pages.setdefault((passage.file, passage.page), at)
    ranked = sorted(pages.values(), key=lambda at: -(passages[at].relevance or 0.0))
    return frozenset(ranked[: rules.max_sources])


def _preview(passage: Passage) -> str:
    return passage.title or passage.file or passage.text.strip()[:_SHOWN_CHARS]


def numbered(passages: tuple[Passage, ...]) -> tuple[Source, ...]:
    """Return the passages as sources, each with an id of its own.

    A passage keeps the number that the prompt gave it; the others are counted from 1.
    """
    taken: set[str] = set()
    sources: list[Source] = []
    free = 1
    for at, passage in enumerate(passages, start=1):
        name = passage.name or str(at)
        if name in taken:
            free = max(free, at)
            while str(free) in taken:
                free += 1
            name = str(free)
        taken.add(name)
        sources.append(
            Source(
                id=name,
                title=passage.title,
                text=passage.text.strip(),
                file=passage.file,
                page=passage.page,
                score=passage.score,
            )
        )
    return tuple(sources)


_FIELD = "guard.sources"
_EVIDENCE_FIELDS = ("documents", "sources")


def exact_sources(body: Mapping[str, JsonValue]) -> tuple[Passage, ...] | None:
    """Return the sources that the caller gave exactly; None if it gave none.

    An empty list says that retrieval found nothing.

    Raises:
        SourceFormatError: a wrong type or value; it names the field.
    """
    guard = body.get("guard")
    if guard is None:
        return None
    if not isinstance(guard, dict):
        raise SourceFormatError("guard", "must be an object")
    given = guard.get("sources")
    if given is None:
        return None
    if not isinstance(given, list):
        raise SourceFormatError(_FIELD, "must be an array")
    passages = tuple(_exact(f"{_FIELD}[{at}]", item) for at, item in enumerate(given))
    _check_names(passages)
    return passages


def _exact(place: str, item: JsonValue) -> Passage:
    if not isinstance(item, dict):
        raise SourceFormatError(place, "must be an object")
    content = item.get("section_content")
    if not isinstance(content, str):
        raise SourceFormatError(f"{place}.section_content", "must be a string")
    score = _member(item, "score", place, (int, float), "a number")
    if score is not None and not 0 <= score <= 1:
        raise SourceFormatError(f"{place}.score", "must be from 0 to 1")
    name = _member(item, "id", place, (str, int), "a string or an integer")
    if name is not None and not str(name).strip():
        raise SourceFormatError(f"{place}.id", "must be a string or an integer")
    return Passage(
        text=content.strip(),
        title=(_member(item, "section_title", place, (str,), "a string") or "").strip(),
        file=(_member(item, "file", place, (str,), "a string") or "").strip(),
        page=_member(item, "page", place, (int,), "an integer"),
        score=None if score is None else float(score),
        name="" if name is None else str(name).strip(),
    )


def _member(
    item: Mapping[str, JsonValue],
    key: str,
    place: str,
    kinds: tuple[type[MemberT], ...],
    said: str,
) -> MemberT | None:
    """Return a member of a source, of one of some types; None where it is null or missing."""
    value = item.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise SourceFormatError(f"{place}.{key}", f"must be {said}")
    return value


def _check_names(passages: tuple[Passage, ...]) -> None:
    """A name that two sources share could not be cited."""
    seen: set[str] = set()
    for at, passage in enumerate(passages):
        name = passage.name or str(at + 1)
        if name in seen:
            raise SourceFormatError(f"{_FIELD}[{at}].id", f"{name!r} names two sources")
        seen.add(name)


def evidence_field(
    body: Mapping[str, JsonValue],
) -> tuple[str, tuple[Passage, ...]] | None:
    """Return the field ``documents``, else ``sources``, and its passages; None if there is none.

    It is a list of strings or of objects with the text beside the title or under ``data``. A list
    of single words names something else, such as where to search.
    """
    for name in _EVIDENCE_FIELDS:
        given = body.get(name)
        if isinstance(given, list) and not (given and all(map(_is_word, given))):
            return name, passages_of_list(given)
    return None


def _is_word(value: JsonValue) -> bool:
    return isinstance(value, str) and len(value.split()) == 1


@dataclass(slots=True)
class _Collection:
    """The passages found so far."""

    rules: SourceRules
    passages: list[Passage] = field(default_factory=list)
    places: list[FoundPlace] = field(default_factory=list)
    dropped: list[DroppedSource] = field(default_factory=list)
    guessed: list[tuple[Block, Message]] = field(default_factory=list)

    def add(
        self,
        name: str,
        where: str,
        passages: tuple[Passage, ...],
        *,
        message: int | None = None,
        span: Span | None = None,
    ) -> int:
        """Take in a block's passages; return how many of them count."""
        kept, dropped = usable(passages, self.rules, exact=where == "guard.sources")
        self.passages += kept
        self.dropped += dropped
        self.places.append(FoundPlace(name, where, message, span, len(kept)))
        return len(kept)

    def add_block(self, block: Block, message: Message) -> int:
        """Take in a block of a message."""
        return self.add(
            block.format, "messages", block.passages, message=message.index, span=block.span
        )

    def guesses_anything(self) -> bool:
        """Tell whether a block that is only guessed holds anything usable."""
        return any(usable(block.passages, self.rules)[0] for block, _ in self.guessed)

    def settle_guesses(self) -> None:
        """Take in the guessed blocks behind the sure ones; empty ones only if there is no other."""
        for block, message in self.guessed:
            kept, dropped = usable(block.passages, self.rules)
            too_little = bool(dropped) and all(one.reason == "too_short" for one in dropped)
            if kept or not (self.places or too_little):
                self.add_block(block, message)


def find_sources(body: Mapping[str, JsonValue], rules: SourceRules) -> FoundContext:
    """Return the question of a chat request and the sources it may be answered from.

    Raises:
        SourceFormatError: ``guard.sources`` has a wrong type or value.
    """
    turns = read_turns(body)
    # Of several user messages in a row only the last asks; those before it bring the context.
    user_turns = [read_text(m.text, is_user=m is turns.last_user[-1]) for m in turns.last_user]
    instructing = [read_text(message.text, is_user=False) for message in turns.instructing]
    found = _Collection(rules)
    exact = exact_sources(body)
    if exact is not None:
        found.add("exact", "guard.sources", exact)
    else:
        _trusted(found, body, turns, instructing)
    templated = exact is None and _conversation(found, turns, user_turns)
    found.settle_guesses()
    question = _question(turns, user_turns, in_template=templated or bool(found.places))
    return FoundContext(
        question=question,
        sources=numbered(tuple(found.passages)),
        context=_state(found),
        found=tuple(found.places),
        dropped=tuple(found.dropped),
        echo=_echo(found, turns, instructing, user_turns if templated else []),
        previous_answer=turns.previous_answer,
    )


def _state(found: _Collection) -> ContextState:
    if found.passages:
        return ContextState.FOUND
    return ContextState.EMPTY if found.places else ContextState.ABSENT


def _trusted(
    found: _Collection,
    body: Mapping[str, JsonValue],
    turns: Turns,
    instructing: list[ReadText],
) -> None:
    """Take in what no user can write."""
    if given := evidence_field(body):
        name, passages = given
        found.add(name, name, passages)
    for message, read in zip(turns.instructing, instructing, strict=True):
        for block in read.blocks:
            if block.guessed:
                found.guessed.append((block, message))
            else:
                found.add_block(block, message)
    answered = sum(_add_tool(found, message) for message in turns.tools)
    if answered or not turns.tools:
        for message in turns.earlier_tools:
            _add_tool(found, message)


def _add_tool(found: _Collection, message: Message) -> int:
    passages = split_passages(message.text)
    span = Span(0, len(message.text))
    return found.add(
        f"{message.role}.result", "messages", passages, message=message.index, span=span
    )


def _conversation(found: _Collection, turns: Turns, user_turns: list[ReadText]) -> bool:
    """Take in what a template put into the conversation; tell whether it built the user's turn."""
    blocks = [
        (block, message)
        for message, read in zip(turns.last_user, user_turns, strict=True)
        for block in read.blocks
    ]
    has_question = any(
        _words(read, message) for read, message in zip(user_turns, turns.last_user, strict=True)
    )
    closed = bool(found.places) or not found.rules.conversation_blocks
    if found.guesses_anything():
        closed = closed or all(block.guessed for block, _ in blocks)
    if blocks and has_question and (not closed or found.rules.user_text_is_evidence):
        for block, message in blocks:
            found.add_block(block, message)
        return True
    if not blocks and found.rules.user_text_is_evidence:
        for message in turns.last_user:
            passage = Passage(message.text)
            found.add("user.text", "messages", (passage,), message=message.index)
    elif not closed and turns.prefill is not None:
        _add_prefill(found, turns)
    return False


def _words(read: ReadText, message: Message) -> str:
    """Return the words of a message that are not context."""
    if read.question is not None:
        return read.question
    return "" if read.blocks else message.text.strip()


def _add_prefill(found: _Collection, turns: Turns) -> None:
    """Take in documents that the assistant's turn beside the question lists."""
    prefill = turns.prefill
    if prefill is None:
        return
    ends_request = bool(turns.last_user) and prefill.index > turns.last_user[-1].index
    pointed = any(points_back(message.text) for message in turns.last_user)
    first = prefill.text.strip().partition("\n")[0]
    if not introduces_context(first) or not (ends_request or pointed):
        return
    for block in read_text(prefill.text, is_user=False).blocks:
        if any(passage.name for passage in block.passages):
            found.add_block(block, prefill)


def _question(turns: Turns, user_turns: list[ReadText], *, in_template: bool) -> str:
    """Return the user's own words; those of a template only where there is one."""
    pairs = list(zip(turns.last_user, user_turns, strict=True))
    if in_template:
        words = [_words(read, message) for message, read in pairs]
    else:
        words = [message.text.strip() for message, _ in pairs]
    return PART_SEPARATOR.join(word for word in words if word)


def _echo(
    found: _Collection, turns: Turns, instructing: list[ReadText], user_turns: list[ReadText]
) -> str:
    used = {place.message for place in found.places}
    parts = [
        *(read.rest for read in instructing),
        *(message.text for message in turns.earlier if message.index not in used),
        *(read.rest for read in user_turns),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip())
