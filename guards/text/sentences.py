"""Splits Korean text into sentences.

A full stop ends a sentence unless it stands in a number, a date (``2024. 3. 5. 시행``), a list
marker (``1.``, ``- 가.``), an address or an abbreviation, or inside quotes or brackets. Every line
break ends one too. Citation marks after the full stop (``…한다.[1]``) belong to the sentence, but
for those that are a word of the next one (``…한다. [2]에 따르면 …``).
"""

from dataclasses import dataclass
from functools import lru_cache

from guards.text.sentence_ends import sentence_ends

_TEXTS_KEPT = 4


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its half-open place in the text, in code points, without outer white space."""

    text: str
    start: int
    end: int


# The claims and the statements of an answer are read one after the other.
@lru_cache(maxsize=_TEXTS_KEPT)
def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in order; together they hold every visible character."""
    sentences: list[Sentence] = []
    start = 0
    for end in (*sentence_ends(text), len(text)):
        stripped = text[start:end].strip()
        if stripped:
            begin = text.index(stripped[0], start)
            sentences.append(Sentence(stripped, begin, begin + len(stripped)))
        start = end
    return tuple(sentences)
