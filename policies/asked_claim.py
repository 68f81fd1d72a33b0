"""Tells the claims of an answer that carry what was asked for: they are never taken out."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from guards.claims.question import asked_answers, asked_kinds, asked_words, gives, sub_questions
from guards.core.reading import Text
from guards.evidence.values import values_of
from guards.korean.morphemes import morphemes
from guards.korean.words import content_words
from guards.text.claims import claims
from guards.text.sentences import HEADING, LEAD_IN, Sentence, split_sentences
from policies.lists import ITEM, indent_of

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

    Args:
        question: What was asked.
        answer: The answer.
        made: Its claims; at least one.
        gone: Sentences of it that go.
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
