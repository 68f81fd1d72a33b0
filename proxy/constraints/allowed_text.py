"""The letters and signs of Korean texts, as a regular expression and as a grammar.

The class is a positive one, because grammar engines have let negated ones through. Characters
outside ASCII stand in it as themselves and control characters as escapes, which is what the regex
dialects of all of them take.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from guards.core.exchange import Exchange
from guards.text.writing.scripts import Script, foreign_runs

MOST_LICENSED = 200
"""Foreign words that may be repeated; what a source holds beyond them has to be said in Hangul."""

_ASCII = r"\t\n\r -~"
_RANGES = (
    ("\u00a0", "\u017f"),  # Latin letters with accents, ×, ·, §
    ("Α", "ω"),  # Greek letters as symbols
    ("\u2010", "\u2027"),  # dashes, quotes, bullets, …; no invisible marks
    ("‰", "⁞"),
    ("⁰", "₟"),  # raised and lowered digits
    ("₠", "⃀"),  # currencies
    ("\u20e3", "\u20e3"),  # the frame of 1️⃣
    ("℀", "↋"),  # ℃, №, Ⅳ
    ("←", "⏿"),  # arrows, mathematics, ⌘
    ("①", "⓿"),
    ("─", "➿"),  # boxes, ■, ★, ✅
    ("⬀", "⯿"),  # ⭐
    ("\u3000", "〄"),  # 、。 and no 々
    ("〇", "〠"),  # 〈〉「」【】, and the blank of 홍〇〇
    ("〰", "〰"),
    ("・", "・"),
    ("ㄱ", "ㆎ"),
    ("㈀", "㈞"),
    ("㉐", "㉿"),  # circled numbers and Hangul
    ("㊱", "㊿"),
    ("㎀", "㏟"),  # ㎡, ㎏
    ("가", "힣"),
    ("\ufe0f", "\ufe0f"),  # the colour of ☎️
    ("！", "～"),
    ("￠", "￦"),
    ("\U0001f300", "\U0001faff"),  # emoji
)
_JOINER = "\u200d"  # of emoji made of several
_CLASS = f"[{_ASCII}{_JOINER}{''.join(a if a == z else f'{a}-{z}' for a, z in _RANGES)}]"


@dataclass(frozen=True)
class AllowedText:
    """What a model may write.

    Attributes:
        licensed: Foreign words that it may repeat.
    """

    licensed: tuple[str, ...] = ()

    @property
    def regex(self) -> str:
        """A regular expression over the whole answer."""
        return f"(?:{'|'.join((_CLASS, *self.licensed))})+"

    @property
    def gbnf(self) -> str:
        """A grammar in the notation of llama.cpp."""
        quoted = (f'"{word}"' for word in self.licensed)
        return f"root ::= ({' | '.join((_CLASS, *quoted))})+"

    def allows(self, text: str) -> bool:
        """Tell whether a text is allowed from its beginning to its end."""
        return self._compiled.fullmatch(text) is not None

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        """The same without a way back, so that no text takes long; the longest word comes first."""
        words = sorted(self.licensed, key=len, reverse=True)
        return re.compile(f"(?>{'|'.join((*words, _CLASS))})*+")


def allowed_text(exchange: Exchange) -> AllowedText:
    """Return what may be written in an answer: Korean, and the foreign words that were there."""
    return AllowedText(_licensed(given_texts(exchange)))


def given_texts(exchange: Exchange) -> tuple[str, ...]:
    """Return what stands in a request: whatever is in it may be repeated."""
    sources = (f"{source.title}\n{source.text}\n{source.file}" for source in exchange.sources)
    return (exchange.question, *sources, exchange.echo)


def _licensed(texts: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for text in texts:
        for run in foreign_runs(text):
            if run.script is not Script.BROKEN:
                found.setdefault(run.text)
            if len(found) == MOST_LICENSED:
                return tuple(found)
    return tuple(found)
