"""Takes sentences out of an answer if the rest still answers the question.

Claims that contain what was asked for are never taken out. Nothing is left hanging: a sentence that
leans on one taken out (``이 경우…``, ``다만…``) goes with it, so does the lead-in of a list that
lost its items, an item that only named what stood below it, and the fences of code that is empty.

The items of lists are counted by ``1.`` or ``1)``, ``(1)``, ``①``, ``가.`` or ``가)``, and
``(가)``; so may be headings and bold items. Each kind of number, and each indentation, counts for
itself.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, pairwise, takewhile
from operator import attrgetter

from guards.claims.question import asked_answers, asked_kinds, asked_words, gives, sub_questions
from guards.core.finding import Span
from guards.core.reading import Text
from guards.evidence.values import values_of
from guards.korean.morphemes import morphemes
from guards.korean.words import content_words
from guards.text.claims import claims
from guards.text.sentences import HEADING, LEAD_IN, Sentence, split_sentences
from policies.edits import Edit
from policies.gating.segments import undecorated
from policies.schema.policy import Trimming

Level = tuple[str, str, str]
"""Indentation, brackets and kind of a list number."""
_LETTERS = "가나다라마바사아자차카타파하"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
ITEM = re.compile(
    r"[ \t]*(?:[-*+•·●○▪■◦▶►✔✅☑✓]\ufe0f?\s"
    rf"|[*_]{{0,2}}(?:(?:\d{{1,3}}|[{_LETTERS}])[.)][*_]{{0,2}}\s"
    rf"|\((?:\d{{1,2}}|[{_LETTERS}])\)|[{_CIRCLED}]|\d\ufe0f?\u20e3))[ \t]*"
)
"""Beginning of a list item."""
_MARKER = re.compile(
    r"^(?P<lead>[ \t]*(?:#{1,6}[ \t]+)?)[*_]{0,2}(?:"
    rf"(?P<plain>\d{{1,3}}|[{_LETTERS}])(?=[.)][*_]{{0,2}}\s)"
    rf"|\((?P<round>\d{{1,2}}|[{_LETTERS}])(?=\))"
    rf"|(?P<line>[{_CIRCLED}]))"
    # Items that follow one another on a line.
    rf"|(?<=[.!?])[ \t]+(?P<inline>[{_CIRCLED}])",
    re.MULTILINE,
)
_STYLES = ("plain", "round", "line", "inline")
_LONGEST_LABEL_CHARS = 40
_TELLS = re.compile(r"[\d.:：!?|]|[다요죠까음함됨임]$")


@dataclass(frozen=True, slots=True)
class Marker:
    """The number of an item.

    Attributes:
        level: Items of the same list share it.
    """

    level: Level
    span: Span
    written: str

    @property
    def number(self) -> int:
        """The number reached."""
        for signs in (_LETTERS, _CIRCLED):
            if self.written in signs:
                return signs.index(self.written) + 1
        return int(self.written)

    def edit(self, number: int) -> Edit:
        """Return what makes it another, lower number."""
        for signs in (_LETTERS, _CIRCLED):
            if self.written in signs:
                return Edit(self.span, signs[number - 1])
        return Edit(self.span, str(number))


@dataclass(frozen=True, slots=True)
class Count:
    """Position in a numbered list.

    Attributes:
        last: The number that it gave last.
        gone: How many of its items were taken out.
    """

    last: int = 0
    gone: int = 0

    def at(self, number: int) -> "Count":
        """Return how far it has counted with the next number, which may begin another list."""
        return Count(number, self.gone if number == self.last + 1 else 0)


def markers(text: str, start: int = 0, end: int | None = None) -> Iterator[Marker]:
    """Yield the numbers of items in a piece of a text, in order."""
    for match in _MARKER.finditer(text, start, len(text) if end is None else end):
        style = next(name for name in _STYLES if match[name] is not None)
        written = match[style]
        kind = "letter" if written in _LETTERS else "sign" if written in _CIRCLED else "digit"
        level = (match["lead"] or "", "round" if style == "round" else "", kind)
        yield Marker(level, Span(*match.span(style)), written)


def is_taken_out(place: int, edits: Iterable[Edit]) -> bool:
    """Tell whether an edit removes a number: one that only changes it leaves its end in place."""
    return any(edit.span.start <= place < edit.span.end for edit in edits)


def renumbered(answer: str, removals: Iterable[Edit]) -> list[Edit]:
    """Return the edits that close the gaps in numbered lists, in order."""
    taken = [edit for edit in removals if not edit.text]
    counts: dict[Level, Count] = {}
    edits = []
    for marker in markers(answer) if taken else ():
        count = counts.get(marker.level, Count()).at(marker.number)
        if is_taken_out(marker.span.end, taken):
            count = Count(count.last, count.gone + 1)
        elif count.gone:
            edits.append(marker.edit(count.last - count.gone))
        counts[marker.level] = count
    return edits


def is_label(item: str) -> bool:
    """Tell whether an item only names what the items below it are about: ``- **수수료**:``."""
    marker = ITEM.match(item)
    if marker is None:
        return False
    name = item[marker.end() :].strip("*_:： \t")
    return len(name) <= _LONGEST_LABEL_CHARS and _TELLS.search(name) is None


def indent_of(text: str, start: int) -> int | None:
    """Return how far a sentence is indented by its start; None if it begins no line."""
    line_start = text.rfind("\n", 0, start) + 1
    return None if text[line_start:start].strip() else start - line_start


_SAYS_ANYTHING = re.compile(r"[^\W_]")
_ANNOUNCES = re.compile(
    r"(?:안내|답변|대답|설명|정리|요약|소개|말씀|알려|확인)(?:해|을|를)?\s?"
    r"(?:드릴[게께]요|드리겠(?:습니다|어요)|드립니다|드려요|드리죠)\W*$"
)
_OVERVIEW = re.compile(
    r"(?:규정|규칙|안내|정책|제도|내용|기준|종류|목록|혜택|시설|정보)"
    r"(?:[을를은는이가도]|에\s?대(?:해서?|하여))?\s?(?:좀|다|모두|전부|자세히|간단히)?\s?"
    r"(?:[.?!]*$|요\W*$|알려|설명|정리|안내|소개|요약|말해|궁금|부탁|뭐|무엇)"
    r"|(?:설명|정리|요약|소개)(?:해|좀|\s?부탁)"
)
# A list of steps has a hole without one of them.
_STEPS = re.compile(r"절차|방법|순서|단계|과정|어떻게")
_GREETING = re.compile(r"(?:안녕|반갑|수고|감사)[^?]*$")
_MOST_GONE_OF_LIST = 0.5


def tellings(answer: str) -> list[Sentence]:
    """Return the claims of an answer, without what only says that an answer follows."""
    return [
        claim
        for claim in claims(answer)
        if _SAYS_ANYTHING.search(claim.text) and not _ANNOUNCES.search(claim.text)
    ]


def is_lost(
    question: str, answer: str, made: Sequence[Sentence], gone: Collection[Sentence]
) -> bool:
    """Tell whether a claim that carries what was asked for is among those that go.

    For each question that is the claim nearest to it in its words, and the nearest of those that
    give a value of the kind asked for; the first of equals, also where nothing ties any to it. Of
    values that nothing else ties to it, it may be each. A question for all there is about something
    is answered by a list as a whole, so that an item of it may go.
    """
    above = _above(answer)
    overview = _Question(question).is_overview
    nearest = set() if question.strip() else {made[0]}
    for part in sub_questions(question):
        if not _GREETING.match(part):
            nearest |= _nearest(_Question(part), made, above)
    return any(
        claim in gone and not (overview and _is_one_of_many(claim, made, gone)) for claim in nearest
    )


def _nearest(
    question: "_Question", made: Sequence[Sentence], above: Mapping[Sentence, str]
) -> set[Sentence]:
    """Return the claims that may carry what one question asks for."""
    rated = [(question.nearness(claim.text, above.get(claim, "")), claim) for claim in made]
    by_words = max(near.by_words for near, _ in rated)
    by_value = max(near.by_value for near, _ in rated)
    nearest = {
        next(claim for near, claim in rated if near.by_words == by_words),
        next(claim for near, claim in rated if near.by_value == by_value),
    }
    if not any(by_value[1:]):
        nearest |= {one for near, one in rated if near.values and not ITEM.match(one.text)}
    return nearest


def _is_one_of_many(claim: Sentence, made: Sequence[Sentence], gone: Collection[Sentence]) -> bool:
    """Tell whether a claim is an item, and more than half of the items stay."""
    items = [one for one in made if ITEM.match(one.text)]
    taken = sum(one in gone for one in items)
    return claim in items and taken < _MOST_GONE_OF_LIST * len(items)


@dataclass(frozen=True, slots=True)
class _Nearness:
    """Closeness of a claim to the question.

    Attributes:
        words: How many words they share.
        values: Whether it gives a value of the kind asked for, and how narrowly told.
        parts: For a value, of how many they share a part, if no word (휴장일, 휴장).
    """

    words: int
    values: int
    parts: int

    @property
    def by_words(self) -> tuple[int, int, int]:
        return self.words, self.values, self.parts

    @property
    def by_value(self) -> tuple[int, int, int]:
        return self.values, self.words, self.parts


class _Question:
    """The words and kinds of value that a question asks for."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._words = asked_words(question)
        self._answers = asked_answers(question)
        self._kinds = asked_kinds(question)
        self._is_for_value = bool(self._answers or self._kinds)

    @property
    def is_overview(self) -> bool:
        """True if the question asks for everything about something."""
        wants_steps = _STEPS.search(self._question) is not None
        return not (self._is_for_value or wants_steps) and bool(_OVERVIEW.search(self._question))

    def nearness(self, claim: str, above: str) -> _Nearness:
        """Return how near a claim is, read with what stands above it."""
        said = {
            feature
            for word in content_words(morphemes(f"{above}\n{claim}"))
            for feature in word.features
        }
        shared = sum(word.features[-1] in said for word in self._words)
        if not self._is_for_value:
            return _Nearness(shared, 0, 0)
        alike = 0 if shared else sum(not said.isdisjoint(one.features) for one in self._words)
        return _Nearness(shared, self._values(Text(claim)), alike)

    def _values(self, claim: Text) -> int:
        of_answer = any(gives(claim, kind) for kind in self._answers)
        of_kind = any(value.kind in self._kinds for value in values_of(claim))
        return of_answer + of_kind


def _above(answer: str) -> dict[Sentence, str]:
    """Return what stands above each sentence and says what it is about.

    That is a heading, the lead-in of its list, and the items that it stands below.
    """
    found: dict[Sentence, str] = {}
    heading = lead_in = ""
    parents: list[tuple[int, str]] = []
    end = 0
    for sentence in split_sentences(answer):
        is_item = ITEM.match(sentence.text) is not None
        indent = indent_of(answer, sentence.start)
        if indent is not None:
            parents = [(at, text) for at, text in parents if at < indent]
        is_apart = "\n\n" in answer[end : sentence.start]
        if lead_in and is_apart and not is_item and not answer[:end].endswith(lead_in):
            lead_in = ""
        found[sentence] = "\n".join([heading, lead_in, *(text for _, text in parents)])
        if HEADING.match(sentence.text):
            heading, lead_in = sentence.text, ""
        elif LEAD_IN.search(sentence.text):
            lead_in = sentence.text
        if is_item and indent is not None:
            parents.append((indent, sentence.text))
        end = sentence.end
    return found


_LEANS_BACK = re.compile(
    r"(?:[-*•]\s*)?(?:이는|이것은|이를|이에|이러한|이와|이\s?경우|이때|그러나|그런데|그래서|그러므로|따라서|"
    r"하지만|다만|단,|또한|아울러|그리고|여기서|그\s?(?:중|외|밖)|해당\s|위\s|같은\s)"
)
_PART_OF_A_WHOLE = re.compile(r"\s*(?:\||첫째|둘째|셋째|넷째|먼저|우선|다음으로|마지막으로)")
_FENCES = ("```", "~~~")
_COUNTS = re.compile(r"(?:두|세|네|다섯|여섯|\d+)\s?(?:가지|개|단계|종류)")


def trim(
    question: str, answer: str, bad: Sequence[Span], limits: Trimming
) -> tuple[Edit, ...] | None:
    """Return the edits that take the bad places' sentences out; None if too little is left."""
    sentences = split_sentences(answer)
    made = tellings(answer)
    flagged = _touched(sentences, bad)
    flagged_claims = [claim for claim in made if claim in flagged]
    if not flagged or not made or len(flagged_claims) > limits.most_claims:
        return None
    if len(flagged_claims) > limits.most_share * len(made):
        return None
    gone = _with_what_leans(sentences, flagged, answer)
    if not _can_do_without(question, answer, gone):
        return None
    return tuple(Edit(_removal(block, answer)) for block in _blocks(sentences, gone))


def is_complete_without(question: str, answer: str, edits: Iterable[Edit]) -> bool:
    """Tell whether an answer still answers without the sentences that some edits take out of it."""
    removals = list(edits)
    gone = {one for one in split_sentences(answer) if takes_out(removals, one)}
    return not gone or _can_do_without(question, answer, gone)


def takes_out(edits: Iterable[Edit], sentence: Sentence) -> bool:
    """Tell whether edits take a sentence out; the marker of its item may stay."""
    marker = ITEM.match(sentence.text)
    start = sentence.start + (marker.end() if marker else 0)
    return any(edit.span.start <= start and sentence.end <= edit.span.end for edit in edits)


def _can_do_without(question: str, answer: str, gone: Collection[Sentence]) -> bool:
    made = tellings(answer)
    if all(claim in gone for claim in made) or is_lost(question, answer, made, gone):
        return False
    leaves_hole = any(_cannot_go_alone(sentence) for sentence in gone)
    return not (leaves_hole or _counts_its_items(split_sentences(answer), gone))


def _touched(sentences: Iterable[Sentence], bad: Iterable[Span]) -> set[Sentence]:
    """Return the sentences that share a place with one of some others."""
    places = sorted(bad, key=attrgetter("start"))
    starts = [place.start for place in places]
    # Up to where what begins up to a place reaches.
    ends = [0, *accumulate((place.end for place in places), max)]
    return {one for one in sentences if one.start < ends[bisect_left(starts, one.end)]}


def _with_what_leans(
    sentences: Sequence[Sentence], flagged: set[Sentence], answer: str
) -> set[Sentence]:
    gone = set(flagged)
    for before, sentence in pairwise(sentences):
        apart = "\n\n" in answer[before.end : sentence.start]
        if before in gone and not apart and _LEANS_BACK.match(sentence.text):
            gone.add(sentence)
    for position, sentence in enumerate(sentences):
        if sentence in gone and ITEM.match(sentence.text):
            gone.update(_below(sentence, _behind(sentences, position), answer))
    gone.update(_emptied_fences(sentences, gone))
    # From the end, so that a heading goes with a lead-in that goes with its items.
    for position, sentence in reversed(list(enumerate(sentences))):
        if _opens(sentence):
            following = partial(_behind, sentences, position)
            if _has_lost_all(sentence, following, gone, answer):
                gone.add(sentence)
    return gone


def _behind(sentences: Sequence[Sentence], position: int) -> Iterator[Sentence]:
    """Yield what follows a sentence; seldom more than the next one is asked for."""
    return (sentences[at] for at in range(position + 1, len(sentences)))


def _emptied_fences(sentences: Sequence[Sentence], gone: set[Sentence]) -> Iterator[Sentence]:
    """Yield both ends of code of which every line goes."""
    fences = [at for at, one in enumerate(sentences) if one.text.startswith(_FENCES)]
    for first, last in zip(fences[::2], fences[1::2], strict=False):
        code = sentences[first + 1 : last]
        if code and all(line in gone for line in code):
            yield from (sentences[first], sentences[last])


def _opens(sentence: Sentence) -> bool:
    """Tell whether a sentence is a heading, a lead-in, or an item that names what is below it."""
    opens = HEADING.match(undecorated(sentence.text)) or LEAD_IN.search(sentence.text)
    return bool(opens) or is_label(sentence.text)


def _has_lost_all(
    opener: Sentence,
    following: Callable[[], Iterator[Sentence]],
    gone: set[Sentence],
    answer: str,
) -> bool:
    """Tell whether nothing is left that an opener stands above."""
    if LEAD_IN.search(opener.text) and _items_gone(following(), gone):
        return True
    if HEADING.match(undecorated(opener.text)):
        return _are_gone(_block(following()), gone)
    return is_label(opener.text) and _are_gone(_below(opener, following(), answer), gone)


def _below(item: Sentence, following: Iterable[Sentence], answer: str) -> Iterator[Sentence]:
    """Yield what stands below an item of one sentence: lines that are indented further."""
    own = indent_of(answer, item.start)
    has_children = False
    for sentence in following:
        indent = indent_of(answer, sentence.start)
        begins_below = indent is not None and own is not None and indent > own
        if not (begins_below or (indent is None and has_children)):
            break
        has_children = True
        yield sentence


def _block(following: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield what stands below a heading."""
    return takewhile(lambda one: not HEADING.match(undecorated(one.text)), following)


def _are_gone(sentences: Iterator[Sentence], gone: set[Sentence]) -> bool:
    """Tell whether there are any sentences, and every one goes."""
    first = next(sentences, None)
    return first is not None and first in gone and all(one in gone for one in sentences)


def _cannot_go_alone(sentence: Sentence) -> bool:
    """Tell whether taking a sentence out leaves a hole: a table's row, a step, half of a mark."""
    return bool(_PART_OF_A_WHOLE.match(sentence.text)) or sentence.text.count("**") % 2 == 1


def _counts_its_items(sentences: Sequence[Sentence], gone: Collection[Sentence]) -> bool:
    """Tell whether a sentence that stays says how many items there are, and one of them goes."""
    counted = any(_COUNTS.search(one.text) for one in sentences if one not in gone)
    return counted and any(ITEM.match(one.text) for one in gone)


def _items_gone(following: Iterator[Sentence], gone: set[Sentence]) -> bool:
    """Tell whether a list begins here and every item of it goes, or code that goes."""
    first = next(following, None)
    if first is None:
        return False
    if first.text.startswith(_FENCES):
        return first in gone
    return _are_gone(takewhile(_is_item, chain((first,), following)), gone)


def _is_item(sentence: Sentence) -> bool:
    return ITEM.match(sentence.text) is not None


def _blocks(sentences: Sequence[Sentence], gone: set[Sentence]) -> list[Span]:
    """Return the places of sentences that go, neighbours as one place."""
    blocks: list[Span] = []
    last_stays = True
    for sentence in sentences:
        if sentence in gone:
            start = sentence.start if last_stays else blocks.pop().start
            blocks.append(Span(start, sentence.end))
        last_stays = sentence not in gone
    return blocks


def _removal(block: Span, answer: str) -> Span:
    """Return what goes with a block; an item's marker stays for what follows on its line."""
    marker = ITEM.match(answer, block.start)
    goes_on = answer[block.end :].partition("\n")[0].strip()
    if marker and goes_on and indent_of(answer, block.start) is not None:
        return _healed(Span(marker.end(), block.end), answer)
    return _healed(block, answer)


def _healed(block: Span, answer: str) -> Span:
    """Return the block with the white space that would be left over."""
    before, after = answer[: block.start], answer[block.end :]
    if not after.strip():
        return Span(len(before.rstrip()), len(answer))
    if not before.strip():
        return Span(0, len(answer) - len(after.lstrip()))
    line_start = before.rfind("\n") + 1
    own_lines = not before[line_start:].strip() and after.lstrip(" \t").startswith("\n")
    if own_lines:
        paragraph = before[:line_start].endswith("\n\n")
        rest = after.lstrip() if paragraph else after.lstrip(" \t")[1:]
        return Span(line_start, len(answer) - len(rest))
    if after.lstrip(" \t").startswith("\n"):
        return Span(len(before.rstrip(" \t")), len(answer) - len(after.lstrip(" \t")))
    return Span(block.start, len(answer) - len(after.lstrip(" \t")))
