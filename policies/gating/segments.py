"""Cuts a growing answer into segments, the units that are judged and released.

A segment is a sentence with its citation marks, and the text before it that cannot stand alone. It
ends right behind them; white space belongs to the next segment. Its end is reported when the next
visible character has arrived, so that the last segment is never empty. It depends on no more than

* that character,
* the look-ahead at a sentence's end (see `guards.text.sentences`),
* five characters of the next line, after a line that opens an answer and would be a mere lead-in if
  a list began below it.
"""

import re
from collections import deque
from collections.abc import Iterable

from guards.text.citing.references import may_be_listed
from guards.text.claims import bare_claim, claims, may_lead_in, plain_text
from guards.text.particles import content_words
from guards.text.sentences import HEADING, LEAD_IN, Sentence, SentenceEnds, sentence_ends
from guards.text.slots.citation_mark import read_marks

ORNAMENT = r"\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3\U0001f000-\U0001faff"
"""Characters of emoji, for a class of characters."""
_DECORATION = re.compile(
    rf"^(?:[>\s{ORNAMENT}]|\d\ufe0f?\u20e3)+|(?<![\s{ORNAMENT}])[\s{ORNAMENT}]+$"
)
_FENCE = re.compile(r"(?P<fence>```|~~~)[^`]*$")
_ROW = re.compile(r"\||[^|\n]{1,80}\s\|\s")
_RULE = re.compile(r"[ \t:|*_=-]+")
_LONE_MARKER = re.compile(r"[-*+•·○●▪■◦>#_ \t]*(?:(?:\d{1,3}|[가-하]|[A-Za-z])[.)]|[①-⑳])?[*_]*")
_LONGEST_MARKER_CHARS = 12
_LEAD_IN_CHARS = 40
# Longer than any heading the pattern knows, so that what is cut off here matches none.
_LINE_KEPT_CHARS = 100
_ITEM = re.compile(r"(?:[-*+•·○●▪◦✔✅☑✓]\ufe0f?\s|(?:\d{1,3}|[가-하])[.)]\s|\(\d{1,3}\)|[①-⑳])\s*")
_TITLE = re.compile(r"(?:[^.。:：!?…|]*\s)?[^\d\s.。:：!?…|]*[^\d\s.。:：!?…|다요죠까음함됨임*_]")
_LONGEST_TITLE_CHARS = 40
_BEGINS_BLOCK = re.compile(r"[ \t]*\n(?:[ \t]*\n|\s*[-*+•·○●▪■◦>|#①-⑳✔✅☑✓`~\d])")
_INDENT = re.compile(r"(?<=\n)[ \t]*(?=\S?\Z)")


# Not inside code, not inside a row of a table, not before the first row of a table with a header,
# and not behind what only opens the next thing: a heading, a title, a lead-in, a list marker, a
# rule.


class Layout:
    """The lines of an answer as far as they were read, sentence by sentence."""

    def __init__(self) -> None:
        self._line = ""
        self._fence = ""
        self._rows = 0
        self._indent = 0
        self._holds_title = False

    def holds(self, sentence: str, behind: str, *, begins_line: bool) -> bool:
        """Take the next sentence and tell whether what follows belongs to the same segment.

        Args:
            sentence: The sentence, without outer white space.
            behind: The white space behind it with the next visible character.
            begins_line: Whether nothing stands before it on its line.
        """
        before = "" if begins_line else f"{self._line} "
        self._line = (before + sentence[:_LINE_KEPT_CHARS])[:_LINE_KEPT_CHARS]
        opens_block = self._names_next(sentence, behind, begins_line)
        if self._is_in_code(sentence, begins_line):
            return True
        if self._is_in_table(sentence, behind, begins_line):
            return True
        return opens_block or self._opens(sentence) or (begins_line and _is_mark(sentence))

    def _is_in_code(self, sentence: str, begins_line: bool) -> bool:
        """Tell whether the sentence is code that goes on behind it."""
        if not begins_line:
            return bool(self._fence)
        if self._fence:
            self._fence = "" if sentence.startswith(self._fence) else self._fence
        elif opened := _FENCE.match(sentence):
            self._fence = opened["fence"]
        return bool(self._fence)

    def _is_in_table(self, sentence: str, behind: str, begins_line: bool) -> bool:
        """Tell whether the sentence is a part of a row, or of what stands before the first one."""
        ends_line = "\n" in behind
        if begins_line:
            is_row = (
                _ROW.match(sentence)
                or ("|" in sentence and _RULE.fullmatch(sentence))
                or (behind.endswith("|") and not ends_line)
            )
            self._rows = self._rows + 1 if is_row else 0
        return self._rows == 1 or (self._rows > 1 and not ends_line)

    def _names_next(self, sentence: str, behind: str, begins_line: bool) -> bool:
        """Tell whether a line names what stands below it; of two in a row the second does not."""
        indent, self._indent = self._indent, _indent(behind)
        item = _ITEM.match(sentence)
        opens = self._indent > indent if item else _BEGINS_BLOCK.match(behind) is not None
        name = undecorated(sentence[item.end() if item else 0 : _LINE_KEPT_CHARS])
        names_next = begins_line and opens and is_title(name)
        self._holds_title = names_next and not self._holds_title
        return self._holds_title

    def _opens(self, sentence: str) -> bool:
        is_heading = HEADING.match(undecorated(self._line)) is not None
        return is_heading or LEAD_IN.search(sentence[-_LEAD_IN_CHARS:]) is not None


def undecorated(line: str) -> str:
    """Return a line without emoji and signs of quotation around it."""
    return _DECORATION.sub("", line)


def is_title(line: str) -> bool:
    """Tell whether a line, undecorated and without the sign of a list, may be a title.

    It has no predicate at its end, and no value.
    """
    name = line.strip("*_ ")
    is_short = len(name) <= _LONGEST_TITLE_CHARS
    return is_short and not _ITEM.match(name) and _TITLE.fullmatch(name) is not None


def _indent(behind: str) -> int:
    found = _INDENT.search(behind)
    return len(found[0]) if found else 0


def _is_mark(sentence: str) -> bool:
    is_short = len(sentence) <= _LONGEST_MARKER_CHARS
    return bool(_RULE.fullmatch(sentence) or (is_short and _LONE_MARKER.fullmatch(sentence)))


_MOST_SENTENCES = 5
_MOST_CHARS = 400
_THINKING, _THOUGHT = "<think>", "</think>"
# What an answer says of itself, or of its question, before it answers.
_ANNOUNCEMENT = re.compile(
    r"(?:보|드리|하)겠(?:습니다|어요)$|(?:볼|드릴|할)게요$|말씀\s?드(?:립니다|려요)$"
    r"|(?:안내|답변|정리|요약|설명|내용|정보|사항|목록|결과)\s?"
    r"(?:입니다|이에요|예요|드립니다|드려요|드렸습니다)$"
    r"|(?:정리|요약|준비|확인|조회)(?:했|하였|해\s?(?:봤|보았|드렸))(?:습니다|어요)$"
    r"|(?:문의|질문|요청|말씀)(?:을|를|해)?\s?(?:하셨|주셨)(?:군요|네요|습니다|어요|지요|죠)$"
    r"|(?:좋은|훌륭한|중요한)\s질문|^좋은\s(?:아침|오후|저녁)|(?:반갑습니다|반가워요|기쁩니다|기뻐요)$"
    r"|(?:무엇이든|언제든지?|편하게)\s[가-힣 ]{0,12}(?:주세요|보세요)$"
)
_YES_OR_NO = re.compile(
    r"(?:네|넵|예|아니[요오]|물론(?:입니다|이죠|이에요)?|그럼요)(?:[\s,.!~]+|$)"
)
# Whether something is so, may be, or is there.
_VERDICT = re.compile(r"(?:가능|불가|[되됩돼있없않맞못]|어렵|아[니닙]|그[렇래])[가-힣]{0,4}$")
_OWN_WORD = re.compile(r"[\dA-Za-z%「『“”\"‘’']")
_LONGEST_AFTER_YES_OR_NO_CHARS = 30
_LONGEST_VERDICT_CHARS = 20
_LONGEST_PREDICATE_CHARS = 12
_PREDICATE_ENDINGS = ("다", "요", "죠")
_BEGINS_WORD = "에"
"""Of ``[2]\\n에 따르면``: the mark before it is a word of that sentence."""
_OPENERS, _CLOSERS = "[［(【<", "]］)】>"
_CLOSING_SIGNS = ".!?~^…:) "


# After anything is sent there is no second attempt, so a greeting must not use it up, nor a verdict
# (네, 됩니다.), which is as right or wrong as the sentence that it rests on.


class Opening:
    """Opening of an answer: reasoning, greetings, and the first claim."""

    def __init__(self) -> None:
        self._begin = 0
        self._is_read = False
        self._is_thinking = False
        self._held = 0

    def spoken(self, sentence: Sentence) -> str:
        """Take the next sentence and return what of it is no thought."""
        if not self._is_read:
            self._is_read = True
            self._is_thinking = sentence.text.startswith(_THINKING)
        if not self._is_thinking:
            return sentence.text
        over = sentence.text.find(_THOUGHT)
        if over < 0:
            return ""
        self._is_thinking = False
        self._begin = sentence.start + over + len(_THOUGHT)
        return sentence.text[over + len(_THOUGHT) :].lstrip()

    def is_sure(self, seen: str, next_char: str) -> bool:
        """Tell whether `holds` says no at the end of a line, whatever the next line says.

        What could turn a claim into none is a list that it opens, or is a line of; a mark that goes
        on below may take its words with it.

        Args:
            seen: The answer up to the end of a line.
            next_char: The first visible one behind it.
        """
        if next_char == _BEGINS_WORD or seen.lstrip().startswith(_THINKING):
            return False
        if len(seen) >= _MOST_CHARS or _opens_bracket(seen) or may_be_listed(seen):
            return False
        marks = read_marks(seen)
        return any(
            _stands_alone(plain_text(seen, one.start, one.end, marks))
            for one in claims(seen)
            if not (one.text.startswith("|") or may_lead_in(one, seen))
        )

    def holds(self, seen: str, end: int) -> bool:
        """Tell whether the answer up to a place says nothing yet and may be held a little longer.

        Args:
            seen: The answer as far as it may be looked at.
            end: Where the segment would end.
        """
        if end - self._begin >= _MOST_CHARS or self._held == _MOST_SENTENCES:
            return False
        answer = seen[self._begin :]
        marks = read_marks(answer)
        said = [claim for claim in claims(answer) if self._begin + claim.start < end]
        if any(_stands_alone(plain_text(answer, one.start, one.end, marks)) for one in said):
            return False
        self._held += 1
        return True


def _opens_bracket(seen: str) -> bool:
    """Tell whether the last line has a bracket that it does not close."""
    line = seen.rstrip().rpartition("\n")[2]
    return max(map(line.rfind, _OPENERS)) > max(map(line.rfind, _CLOSERS))


def _stands_alone(claim: str) -> bool:
    """Tell whether a claim says more than that an answer follows, or a bare yes or no."""
    bare = undecorated(claim)
    if is_title(bare) or not claims(bare):
        return False
    bare = bare.rstrip(_CLOSING_SIGNS)
    return not (_ANNOUNCEMENT.search(bare) or _is_verdict(bare))


def _is_verdict(claim: str) -> bool:
    """Tell whether a claim says yes or no in the words of a question, and no figure or name."""
    plain = claim.strip("*_ ")
    answers = _YES_OR_NO.match(plain)
    said = bare_claim(plain[answers.end() :] if answers else plain)
    if _OWN_WORD.search(said):
        return False
    if answers:
        return len(said) <= _LONGEST_AFTER_YES_OR_NO_CHARS
    if _VERDICT.search(said):
        return len(said) <= _LONGEST_VERDICT_CHARS
    is_predicate = said.endswith(_PREDICATE_ENDINGS) and len(content_words(said)) <= 1
    return is_predicate and len(said) <= _LONGEST_PREDICATE_CHARS


# Each end leads to an inspection of what was written so far. Where segments grow with the text
# there are few of them, and the cost of all inspections grows like the text, not like its square.
_SHORT_TEXT_CHARS = 1500
_LEAST_PART_OF_LONG_TEXT = 20
_LIST_LOOK_AHEAD_CHARS = 5
_SPACE = re.compile(r"\s*")
_NEXT_SENTENCE = " 다음"
# What may stand behind a finished sentence: emphasis that ends, an emoji, a remark in brackets.
_ORNAMENTS = re.compile(rf"(?<![*_\s{ORNAMENT}])[*_\s{ORNAMENT}]+\Z")
_REMARK = re.compile(r"(?<=[.!?…。！？])[ \t]?[(\[【][^()\[\]【】\n]{1,200}[)\]】]\Z")
_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)


class Segmenter:
    """The segments of one answer; the same wherever the answer was cut into pieces."""

    def __init__(self) -> None:
        self._ends = SentenceEnds()
        self._layout = Layout()
        self._opening = Opening()
        self._waiting: deque[Sentence] = deque()
        self._read = self._visible_end = self._last = 0
        self._begins_line = True
        self._is_whole = False

    @property
    def text(self) -> str:
        """The answer so far."""
        return self._ends.text

    def feed(self, piece: str) -> list[int]:
        """Take the next piece of the answer.

        Returns:
            The ends of the segments that are certain now, in order, in code points of the answer.
        """
        visible = piece.rstrip()
        if visible:
            self._visible_end = len(self.text) + len(visible)
        ends = self._ends.grow(piece)
        if ends:
            self._take(ends)
        return self._decided() if self._waiting else []

    def close(self) -> list[int]:
        """Return the ends of what is left; the last one is the end of the answer."""
        self._is_whole = True
        self._take(self._ends.close())
        decided = self._decided()
        return [*decided, len(self.text)] if self.text else decided

    def _take(self, ends: list[int]) -> None:
        for end in ends:
            piece = self.text[self._read : end]
            visible = piece.strip()
            if visible:
                start = self._read + len(piece) - len(piece.lstrip())
                self._waiting.append(Sentence(visible, start, start + len(visible)))
            self._read = end

    def _decided(self) -> list[int]:
        boundaries = []
        while self._waiting and self._waiting[0].end < self._visible_end:
            sentence = self._waiting[0]
            following = self._following(sentence.end)
            if self._last == 0 and self._must_wait(sentence.end, following):
                break
            self._waiting.popleft()
            if self._is_boundary(sentence, following):
                boundaries.append(sentence.end)
                self._last = sentence.end
        return boundaries

    def _following(self, end: int) -> int:
        space = _SPACE.match(self.text, end)
        return space.end() if space else end

    def _must_wait(self, end: int, following: int) -> bool:
        is_short = len(self.text) < following + _LIST_LOOK_AHEAD_CHARS
        if self._is_whole or not is_short or "\n" not in self.text[end:following]:
            return False
        return not self._opening.is_sure(self.text[:following], self.text[following])

    def _is_boundary(self, sentence: Sentence, following: int) -> bool:
        ends_line = "\n" in self.text[sentence.end : following]
        begins_line, self._begins_line = self._begins_line, ends_line
        spoken = self._opening.spoken(sentence)
        behind = self.text[sentence.end : following + 1]
        if not spoken or self._layout.holds(spoken, behind, begins_line=begins_line):
            return False
        if self._last == 0:
            ahead = following + _LIST_LOOK_AHEAD_CHARS if ends_line else sentence.end
            return not self._opening.holds(self.text[:ahead], sentence.end)
        is_short_text = sentence.end <= _SHORT_TEXT_CHARS
        grown = (sentence.end - self._last) * _LEAST_PART_OF_LONG_TEXT
        return is_short_text or grown >= sentence.end


def is_complete(segment: str) -> bool:
    """Tell whether the last segment of an answer ends like a finished sentence.

    A finished line does too, and a finished row of a table, but no lead-in and no open code.
    """
    if len(_FENCE_LINE.findall(segment)) % 2:
        return False
    visible = segment.rstrip()
    last_line = visible[visible.rfind("\n") + 1 :].lstrip()
    if "\n" in segment[len(visible) :]:
        return LEAD_IN.search(last_line) is None
    if last_line.startswith(("|", "```", "~~~")):
        return len(last_line) > 1 and last_line.endswith(("|", "```", "~~~"))
    bare = _REMARK.sub("", _ORNAMENTS.sub("", last_line))
    return len(bare) in sentence_ends(bare + _NEXT_SENTENCE)


CUT = "answer.cut"
"""Reason of an answer that lost a sentence which the model could not finish."""


class AnswerBuffer:
    """The text of an answer that the model has written so far.

    Attributes:
        ends: Where the segments end that are still to be decided about, in order.
        torn_from: Where the last sentence begins if it may be torn; None if it is not.
    """

    def __init__(self) -> None:
        self._segmenter = Segmenter()
        self._last_end = 0
        self._cut_at: int | None = None
        self._unread: list[str] | None = None
        self._chars = 0
        self.ends: deque[int] = deque()
        self.torn_from: int | None = None

    @property
    def chars(self) -> int:
        """Number of characters received so far."""
        return self._chars

    @property
    def text(self) -> str:
        """The answer as it came, as far as it counts."""
        if self._unread:
            self._unread = ["".join(self._unread)]
            return self._segmenter.text + self._unread[0]
        return self._segmenter.text[: self._cut_at]

    def give_up(self) -> None:
        """Look for no segments in what is still to come."""
        self._unread = []
        self.ends.clear()

    def feed(self, piece: str, done: int) -> None:
        """Take in more of the answer, which is done with up to a place."""
        self._chars += len(piece)
        if self._unread is not None:
            self._unread.append(piece)
            return
        self._take(self._segmenter.feed(piece), done)

    def close(self, done: int, *, cut: bool) -> None:
        """The answer has ended; its last segment is for the look at the whole.

        Args:
            cut: The model was not allowed to write more, so that its last sentence may be torn.
        """
        self._take((end for end in self._segmenter.close() if end < len(self.text)), done)
        if cut and self._last_end and not is_complete(self.text[self._last_end :]):
            self.torn_from = self._last_end

    def break_off(self, done: int) -> None:
        """Nothing more is known of the answer: where it ends by now, a segment does."""
        self._take(self._segmenter.close(), done)

    def drop_ends(self, done: int) -> None:
        """Forget the segments up to a place: they are decided about."""
        while self.ends and self.ends[0] <= done:
            self.ends.popleft()

    def cut(self, end: int) -> None:
        """Drop the text behind a place."""
        self._cut_at, self.torn_from = end, None

    def _take(self, ends: Iterable[int], done: int) -> None:
        for end in ends:
            self._last_end = end
            if end > done:
                self.ends.append(end)
