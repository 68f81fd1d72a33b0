"""Splits Korean text into sentences, also while the text grows.

A full stop ends a sentence unless it stands in a number, a date (``2024. 3. 5. 시행``), a list
marker (``1.``, ``- 가.``), an address or an abbreviation, or inside quotes or brackets. Every line
break ends one too, and so does an emoji behind a polite ending (``있어요 😊 다음은``).
Citation marks after the full stop (``…한다.[1]``) belong to the sentence, but for those that are a
word of the next one (``…한다. [2]에 따르면 …``).

The ends found do not depend on where the text was cut. How far a rule looks ahead has a bound:

* a stop: to the next character that is no blank;
* a citation mark behind it: until the mark is over, and ten characters more where it may be a word;
* a bracket or quote: until it closes, the line ends, or 200 characters passed.

Also here: lead-ins and headings, which mean nothing without the text after them, and the span to
remove with a sentence.
"""

import re
from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import NamedTuple

from guards.text.slots.citation_mark import IS_WORD

_STOPS = frozenset(".!?…。！？")
_AFTER_STOP = re.compile(f"[{re.escape(''.join(sorted(_STOPS)))}\"'”’」』)\\]】〉》]*")
_CLOSER_OF = dict(zip('([{「『【〈《“‘"', ')]}」』】〉》”’"', strict=True))
_FACES = "\u2600-\u27bf\u2b50\u2b55\U0001f300-\U0001faff"
_MARK = re.compile(f"[\n{_FACES}{re.escape(''.join((*sorted(_STOPS), *_CLOSER_OF)))}]")
_FACE_RUN = re.compile(f"[{_FACES}\\u200d\\ufe0f\\u20e3]+")
# What ends a sentence of a chat before an emoji; not 필요 ✅ nor 바다 🌊.
_POLITE_END = re.compile(
    r"(?:[가-힣]니(?:다|까)|(?![필수월화목금토일중주소동강개민불])[가-힣](?:요|죠))[*_~\s]*$"
)
_LONGEST_END_CHARS = 12
_LONGEST_BRACKET_CHARS = 200
_BLANKS = re.compile(r"[ \t]*")
_CITATION = re.compile(
    r"(?:\[(?:†?\d{1,3}(?:\s*[,~-]\s*†?\d{1,3})*|\^\d{1,3})\]"
    r"|\[(?:참조|출처|근거)[^\]\n]{0,120}\]|【[^】\n]{1,120}】|\((?:참조|출처|근거)\s*[::][^)\n]{0,120}\)|[¹²³⁴-⁹]+)"
)
_BEGUN_CITATION = re.compile(
    r"\[(?:[\d\s,~†^-]*|[참출근][^\]\n]*)|【[^】\n]*|\(\s*(?:[참출근][^)\n]*)?|[¹²³⁴-⁹]+"
)
_LONGEST_CITATION_CHARS = 128
_BETWEEN_CITATIONS = re.compile(r"[ \t]?[,·][ \t]?")
_BEGUN_BETWEEN = re.compile(r"[ \t]?(?:[,·][ \t]?)?")
_BEGUN_WORD = re.compile(r"\s?\Z|\s?에|[번문자출으로은는이가을를의와과도상]")
_LONGEST_WORD_CHARS = 10
_LIST_MARKER = re.compile(
    r"[ \t]*(?:[-*•·○●▪■◦>#]+[ \t]+)?(?:\d{1,3}|[가-하]|[A-Za-z]|[ivxIVX]{1,4})\.(?=\s|$)"
)
_LOOK_BACK_CHARS = 24
# What stands right before a full stop that ends nothing: a number of its own ("5." of a date or a
# list), a whole date, or an abbreviation.
_OPEN_END = re.compile(
    r"(?:(?<![^\s(~-])\d{1,2}|(?<!\d)(?:'?\d{2}|\d{4})\.[ ]?\d{1,2}\.[ ]?\d{1,2}"
    r"|(?:'\d{2}|(?<!\d)\d{4})\.[ ]?\d{1,2}"
    r"|(?<![A-Za-z])(?:[A-Za-z]|[Nn]o|[Vv]s|pp|[DM]r|Co|Inc|St))$"
)
_DIGIT_NEXT = re.compile(r"[ \t]*\d")
# Endings after which a sentence is over even where the space after the full stop is missing.
_SENTENCE_ENDINGS = frozenset("다요죠까음함됨임")


class Stand(NamedTuple):
    """A certain end of a sentence, from which splitting can continue.

    Attributes:
        position: Right behind an end.
        line_start: Where its line begins.
        may_be_marker: Nothing stands on the line yet but, perhaps, the marker of a list.
    """

    position: int = 0
    line_start: int = 0
    may_be_marker: bool = True


class SentenceEnds:
    """The sentence ends of a growing text.

    Args:
        text: What is known of it.
        stand: Where to begin.

    Attributes:
        text: The text so far.
        stand: Where the last reported end was.
    """

    def __init__(self, text: str = "", stand: Stand = Stand()) -> None:
        self.text = text
        self.stand = stand
        self._is_whole = False
        self._scan = self._ends()

    def grow(self, piece: str) -> list[int]:
        """Take the next piece of the text and return the ends that are certain now, in order.

        An end is the place right behind a sentence and its citation marks, or behind a line.
        """
        text, self.text = self.text, ""  # A string that is held once grows without being copied.
        text += piece
        self.text = text
        del text
        return self._found()

    def close(self) -> list[int]:
        """Return the ends that are certain because nothing follows."""
        self._is_whole = True
        return self._found()

    def _found(self) -> list[int]:
        found = []
        for end in self._scan:
            if end is None:
                break
            found.append(end)
        return found

    # The steps below stop (`yield None`) wherever what is next is not known yet, and keep no
    # reference to the text while they do.

    def _ends(self) -> Generator[int | None, None, None]:
        position, line_start, is_marker_possible = self.stand
        while True:
            at = _place_of(_MARK.search(self.text, position))
            if at is None:
                if self._is_whole:
                    return
                position = len(self.text)
                yield None
            elif self.text[at] == "\n":
                line_start = position = at + 1
                is_marker_possible = True
                self.stand = Stand(position, line_start)
                yield position
            elif self.text[at] in _CLOSER_OF:
                position = yield from self._after_bracket(at)
                is_marker_possible = False
            else:
                if self.text[at] in _STOPS:
                    position = yield from self._after_run(_AFTER_STOP, at)
                else:
                    position = yield from self._after_faces(at)
                if not (is_marker_possible and self._is_marker(line_start, at)):
                    following = yield from self._after_run(_BLANKS, position)
                    is_cited = (yield from self._after_citation(following)) is not None
                    if _ends_sentence(self.text, at, position, is_cited=is_cited):
                        if is_cited:
                            position = yield from self._after_citations(position)
                        self.stand = Stand(position, line_start, may_be_marker=False)
                        yield position
                is_marker_possible = False

    def _after_faces(self, position: int) -> Generator[None, None, int]:
        """Return the position behind emojis in a row, with blanks between them."""
        following = position
        while _FACE_RUN.match(self.text, following):
            position = yield from self._after_run(_FACE_RUN, following)
            position = yield from self._after_run(_AFTER_STOP, position)
            following = yield from self._after_run(_BLANKS, position)
        return position

    def _is_marker(self, line_start: int, stop: int) -> bool:
        marker = _LIST_MARKER.match(self.text, line_start)
        return marker is not None and marker.end() == stop + 1

    def _after_bracket(self, opener: int) -> Generator[None, None, int]:
        """Return the position behind a bracketed piece, or behind the opener if it never closes."""
        limit = opener + _LONGEST_BRACKET_CHARS
        while True:
            line_end = self.text.find("\n", opener, limit)
            stop = limit if line_end < 0 else line_end
            closer = self.text.find(_CLOSER_OF[self.text[opener]], opener + 1, stop)
            if closer >= 0:
                return closer + 1
            if line_end >= 0 or not self._may_grow_to(limit):
                return opener + 1
            yield None

    def _after_run(self, run: re.Pattern[str], position: int) -> Generator[None, None, int]:
        """Return the position behind a run of characters, once something else follows."""
        while True:
            match = run.match(self.text, position)
            position = match.end() if match else position
            del match
            if position < len(self.text) or self._is_whole:
                return position
            yield None

    def _may_grow_to(self, length: int) -> bool:
        return len(self.text) < length and not self._is_whole

    def _after_citation(self, start: int) -> Generator[None, None, int | None]:
        """Return the position behind a citation mark, None if none stands there."""
        limit = start + _LONGEST_CITATION_CHARS
        while self._may_grow_to(limit) and _BEGUN_CITATION.fullmatch(self.text, start):
            yield None
        return _end_of(_CITATION.match(self.text, start, limit))

    def _after_citations(self, position: int) -> Generator[None, None, int]:
        """Return the position behind the marks that belong to the sentence before them."""
        last_run = position
        while True:
            start = yield from self._after_run(_BLANKS, position)
            after = yield from self._after_citation(start)
            if after is None:
                break
            last_run = position if start > position else last_run
            position = after
        goes_on = yield from self._goes_on(last_run, position)
        if goes_on:
            return last_run
        return position + 1 if self.text[position : position + 1] in _STOPS else position

    def _goes_on(self, start: int, stop: int) -> Generator[None, None, bool]:
        """Tell whether some marks are words of a sentence that goes on behind them."""
        if start == stop:
            return False
        after: int | None = stop
        while after is not None:
            stop = after
            after = yield from self._after_further_citation(stop)
        while self._may_grow_to(stop + _LONGEST_WORD_CHARS) and _may_be_word(self.text, stop):
            yield None
        # "…다.[1]이 경우" begins anew.
        is_this = self.text[stop : stop + 1] == "이" and not self.text[start].isspace()
        return not is_this and _is_word(self.text, stop)

    def _after_further_citation(self, position: int) -> Generator[None, None, int | None]:
        while not self._is_whole and _BEGUN_BETWEEN.fullmatch(self.text, position):
            yield None
        start = _end_of(_BETWEEN_CITATIONS.match(self.text, position))
        return None if start is None else (yield from self._after_citation(start))


def sentence_ends(text: str) -> list[int]:
    """Return the ends of the sentences of a whole text, but for one at its very end."""
    ends = SentenceEnds()
    return [*ends.grow(text), *ends.close()]


def _place_of(match: re.Match[str] | None) -> int | None:
    return match.start() if match else None


def _end_of(match: re.Match[str] | None) -> int | None:
    return match.end() if match else None


def _may_be_word(text: str, start: int) -> bool:
    is_line_over = "\n" in text[start : start + _LONGEST_WORD_CHARS]
    return not is_line_over and _BEGUN_WORD.match(text, start) is not None


def _is_word(text: str, start: int) -> bool:
    line_end = text.find("\n", start, start + _LONGEST_WORD_CHARS)
    stop = start + _LONGEST_WORD_CHARS if line_end < 0 else line_end + 1
    return IS_WORD.match(text, start, stop) is not None


def _ends_sentence(text: str, stop: int, after: int, *, is_cited: bool) -> bool:
    """Tell whether the stops from `stop` to `after` end a sentence within a line."""
    if text[stop] not in _STOPS:
        return _POLITE_END.search(text, max(0, stop - _LONGEST_END_CHARS), stop) is not None
    if after == len(text) or text[after] == "\n":
        return True
    is_single_dot = text[stop:after] == "."
    if text[after].isspace():
        return not (is_single_dot and _is_open_end(text, stop, after))
    if is_cited:
        return True
    if not _is_hangul(text[after]):
        return False
    last = text[stop - 1] if is_single_dot and stop else text[after - 1]
    return last in _SENTENCE_ENDINGS or last in "?!"


def _is_open_end(text: str, stop: int, after: int) -> bool:
    last = text[stop - 1 : stop]
    if last.isdigit() and _DIGIT_NEXT.match(text, after):
        return True
    before = text[max(0, stop - _LOOK_BACK_CHARS) : stop]
    return last.isalnum() and not _is_hangul(last) and _OPEN_END.search(before) is not None


def _is_hangul(char: str) -> bool:
    return "가" <= char <= "힣"


_TEXTS_KEPT = 8
_END = re.compile(rf"(?:{_AFTER_STOP.pattern})?(?:\[\d{{1,2}}\])*[ \t]*")

LONGEST_SENTENCE_CHARS = 2000
"""Longer than any sentence: what never ends is none, and comparing it would take too long."""


class Sentence(NamedTuple):
    """A sentence and its half-open place in the text, in code points, without outer white space."""

    text: str
    start: int
    end: int


class GrowingSentences:
    """The sentences of a growing text that is split again and again.

    Sentences that were complete the last time are not searched for again.
    """

    def __init__(self) -> None:
        self._latest: tuple[str, tuple[Sentence, ...], Stand] = ("", (), Stand())

    def of(self, text: str) -> tuple[Sentence, ...]:
        """Return the sentences of a text, in order: the same as `split_sentences`."""
        before, over, stand = self._latest
        if not text.startswith(before):
            over, stand = (), Stand()
        ends = SentenceEnds(text, stand)
        over = (*over, *_between(text, stand.position, ends.grow("")))
        stand = ends.stand
        self._latest = (text, over, stand)
        found = (*over, *_between(text, stand.position, (*ends.close(), len(text))))
        _keep(text, found)
        return found


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in order; together they hold every visible character."""
    found = _LATEST.get(text)
    if found is not None:
        return found
    mark = _MARK.search(text)
    if mark is None or _END.fullmatch(text, mark.start()):
        # Most texts that are split are one sentence of a list or a table.
        return tuple(_between(text, 0, (len(text),)))
    return GrowingSentences().of(text)


# The claims and the statements of an answer are read one after the other; its lines only once.
_LATEST: OrderedDict[str, tuple[Sentence, ...]] = OrderedDict()


def _keep(text: str, found: tuple[Sentence, ...]) -> None:
    if "\n" not in text:
        return
    _LATEST[text] = found
    if len(_LATEST) > _TEXTS_KEPT:
        _LATEST.popitem(last=False)


def _between(text: str, start: int, ends: Iterable[int]) -> Iterator[Sentence]:
    for end in ends:
        stripped = text[start:end].strip()
        if stripped:
            begin = text.index(stripped[0], start)
            yield Sentence(stripped, begin, begin + len(stripped))
        start = end


def sentence_places(sentences: Sequence[Sentence], starts: Sequence[int]) -> list[int]:
    """Return for each position, in order, the number of the sentence it stands in."""
    places: list[int] = []
    at = 0
    for start in starts:
        while at + 1 < len(sentences) and sentences[at].end <= start:
            at += 1
        places.append(at)
    return places


LEAD_IN = re.compile(r"(?:[:：][*_]{0,3}|(?:다음과|아래와)\s?같(?:습니다|아요|다)\.?)\s*$")
HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*\n]{1,60}\*\*:?\s*$)")


def place_to_remove(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span to remove with some whole sentences, so that the white space stays right.

    The remaining text gets no double blanks, no additional empty lines, and no new white space at
    either end.
    """
    before, after = _content_end(text, start), _content_start(text, end)
    if after == len(text):
        return (before, end) if before else (0, len(text))
    if before == 0:
        return 0, after
    ahead, behind = text[before:start], text[end:after]
    # Of the two gaps that become one, the one with more line breaks stays.
    keeps_ahead = (_breaks(ahead), -len(ahead)) >= (_breaks(behind), -len(behind))
    return (start, after) if keeps_ahead else (before, end)


def _content_end(text: str, start: int) -> int:
    while start and text[start - 1].isspace():
        start -= 1
    return start


def _content_start(text: str, end: int) -> int:
    while end < len(text) and text[end].isspace():
        end += 1
    return end


def _breaks(gap: str) -> int:
    return gap.count("\n")
