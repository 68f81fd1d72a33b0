"""Sentences that an answer must not contain: closing pleasantries and the like.

Finds: sentences that are, as a whole, one of the listed phrases: wishes (도움이 되셨길 바랍니다),
    offers of further help, thanks, the bot's apologies, and the tenant's own phrases. Neighbouring
    sentences are one finding. Spacing, case and closing punctuation do not matter.
Misses: the same words in a sentence that says something else as well; sentences with a figure or an
    address (only the tenant's own phrases cover those); quotations, code, list items; an answer
    that would be empty without them.
Score: 1.0.
Source: our own list in `guards/lexicons/closing_phrases.txt`. Tenants write plain text in which `*`
    stands for any text; regular expressions are not offered because guards have no linear-time
    engine.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from guards.core.finding import Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading
from guards.text.hangul import listed_phrases
from guards.text.scripts import prose_only, without_code
from guards.text.sentences import Sentence, place_to_remove

_LONGEST_CLOSING_CHARS = 100
_SPACE = re.compile(r"\s+")
_CLOSING = re.compile(listed_phrases("closing_phrases", "phrases"))
_CARRIES_FACT = re.compile(r"\d|@|://|www\.")
_EMOJI = re.compile("[ \t]*[\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]+(?=\\s|\\Z)")
_LETTER = re.compile(r"[^\W_]")

Phrase = Annotated[str, Field(min_length=2, max_length=300, pattern=r"\w")]


class PhrasesSettings(GuardSettings):
    """Options of the guard."""

    use_defaults: bool = Field(
        True, description="Look for the closing phrases that ship with the guard."
    )
    phrases: tuple[Phrase, ...] = Field(
        (),
        max_length=200,
        description="Whole sentences to take out besides; `*` stands for anything within one "
        "sentence, spacing and upper or lower case do not matter.",
    )


class Phrases(Guard[PhrasesSettings]):
    """Report forbidden sentences, each with what has to go for the text to close up again."""

    id = "phrases"
    label = Label("Unwanted phrases", "쓰지 않을 문구")
    subject = Subject.FORM
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = PhrasesSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "phrases.forbidden": Code(
            label=Label("A phrase that the policy forbids", "정책에서 막은 문구"),
            meaning="The answer contains a sentence that the policy forbids.",
            message="쓰지 않기로 한 표현입니다",
            instruction='"{observed}" 같은 맺음말이나 인사말은 쓰지 말고 내용만 쓰세요.',
        )
    }

    def __init__(self, settings: PhrasesSettings) -> None:
        super().__init__(settings)
        self._own = tuple(_dense(phrase).rstrip(".!?~…").split("*") for phrase in settings.phrases)

    def check(self, reading: Reading) -> list[Finding]:
        """Find the sentences to take out, unless nothing would be left."""
        answer, sentences = reading.answer_text.raw, reading.answer_text.sentences
        prose = prose_only(without_code(answer))
        unwanted = [
            sentence
            for sentence in _unquoted(answer, sentences)
            if prose[sentence.start : sentence.end] == sentence.text
            and self._is_forbidden(sentence.text)
        ]
        places = list(_stretches(answer, unwanted))
        kept = set(sentences) - set(unwanted)
        if not any(_LETTER.search(sentence.text) for sentence in kept):
            return []
        return [_finding(answer, *place) for place in places]

    def _is_forbidden(self, sentence: str) -> bool:
        said = _comparable(sentence)
        if any(_is_glob(said, pieces) for pieces in self._own):
            return True
        return (
            self.settings.use_defaults
            and len(said) <= _LONGEST_CLOSING_CHARS
            and not _CARRIES_FACT.search(said)
            and _CLOSING.fullmatch(said) is not None
        )


def _comparable(sentence: str) -> str:
    """Return a sentence without spaces, emphasis, and the marks and emoji that close it."""
    end = len(sentence)
    while end and not sentence[end - 1].isalnum():
        end -= 1
    return _dense(sentence[:end].lstrip("*_ "))


def _dense(text: str) -> str:
    return _SPACE.sub("", text).casefold()


def _is_glob(text: str, pieces: list[str]) -> bool:
    """Tell whether a text is these pieces in order with anything between them."""
    first, *others = pieces
    if not others:
        return text == first
    *middle, last = others
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        at = text.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def _unquoted(answer: str, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences that do not begin inside a quotation."""
    position = curved = straight = 0
    for sentence in sentences:
        passed = answer[position : sentence.start]
        curved += passed.count("“") - passed.count("”")
        straight += passed.count('"')
        position = sentence.start
        if curved <= 0 and straight % 2 == 0:
            yield sentence


def _stretches(answer: str, unwanted: Iterable[Sentence]) -> Iterator[tuple[int, int]]:
    """Yield the places of sentences with the emoji behind them; neighbours make one place."""
    begun, end = -1, -1
    for sentence in unwanted:
        if begun < 0 or answer[end : sentence.start].strip():
            if begun >= 0:
                yield begun, end
            begun = sentence.start
        end = _behind_emoji(answer, sentence.end)
    if begun >= 0:
        yield begun, end


def _behind_emoji(answer: str, end: int) -> int:
    """Return the end of the emoji that close a sentence, or its own end."""
    emoji = _EMOJI.match(answer, end)
    return emoji.end() if emoji else end


def _finding(answer: str, start: int, end: int) -> Finding:
    place = place_to_remove(answer, start, end)
    return Finding(
        guard=Phrases.id,
        code=f"{Phrases.id}.forbidden",
        part="answer",
        span=Span(*place),
        observed=answer[slice(*place)],
        strength=Strength.E3,
        fix="",
    )
