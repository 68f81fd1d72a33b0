"""What each clause of a sentence says, in a form in which other wordings of it meet.

A saying is a predicate's families (``휴관하다`` denies what ``개관하다`` affirms, who ``받는다`` is
given, ``X 대상이다`` is what X says), what is said of it, and the words and turns of its clause.
Only sayings on the same words can be compared. A list (``A, B는 된다``) gives one for each item.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from guards.core.lazy import lazy
from guards.lexicons.opposites import FAMILIES
from guards.text.lemmas import lemma
from guards.text.polarity import Role, Stance, may_deny, stances, without_honorific
from guards.text.polarity_modes import AFFIRMATIVE, Mode
from guards.text.polarity_words import (
    Word,
    conditions,
    figures_of,
    names_of,
    turns_of,
    words_of,
)
from guards.text.sentences import LONGEST_SENTENCE_CHARS
from guards.text.tokens import word_stem

_DENIED = {
    Mode.DOES: Mode.NOT,
    Mode.NOT: Mode.DOES,
    Mode.MUST: Mode.MUST_NOT,
    Mode.MUST_NOT: Mode.CAN,
    Mode.CAN: Mode.MAY_REFRAIN,
    Mode.CANNOT: Mode.DOES,
    Mode.NEED_NOT: Mode.CAN,
    Mode.MAY_REFRAIN: Mode.CAN,
    Mode.HAS: Mode.LACKS,
    Mode.LACKS: Mode.HAS,
}
_LOOK_BACK_CHARS = 30
# What they are about stands before these: 적립에서 제외한다, 복지포인트를 지급한다, 시험을 본다.
_LEANING_FAMILIES = frozenset({"포함", "부과", "지급"})
_LEANING = frozenset("대상 적용 보 치르 거치 갖추 얻 지불".split())
_NOUN_BEFORE = re.compile(r"([가-힣]{2,20})(?:\s대상[가-힣]{0,3})?\s$")
_RECEIVED = re.compile(r"\s(?:받|드[리립려린]|주[시지어]|줍|줘)")
_WITHOUT = re.compile(r"(?<![가-힣])([가-힣]{2,20})\s?없(?:이|어도|더라도|으셔도)(?:도|는)?(?=\s)")
_TOPIC = re.compile(r"[가-힣)\]]+(?:은|는|도)(?=\s)")
_SUBJECT = re.compile(r"[가-힣)\]](?:은|는|도|이|가|께서|에게|에게는)(?=\s)")
_LAST_WORD = re.compile(r"([가-힣]{2,12})\s?(?::|[\s.*]*$)")
_WORD = re.compile(r"[가-힣]+")
# Where what is said of a predicate hangs on its word: 휴관해야합니다, 휴관할수있다.
_JOINED = re.compile(
    r"[가-힣](?:야(?:만|[하한합할함해했되된됩돼])|도[되된됩돼무괜]|수[가는도]?\s?있)"
)
_EXISTING = re.compile(r"([가-힣]{1,12})[이가은는도]\s?있")
_AGAIN = re.compile(r"(?<![가-힣])다시\s$")
_AGAIN_CHARS = 4
_ENDS_IN_NOUN = re.compile(r"[가-힣A-Za-z)](?<![고면서며지요다은는을를에의로])(?<!거나)$")
_LEAST_COMPOUND_CHARS = 4
# Of a longer word only a part may be read.
_LONGEST_WORD_CHARS = 12
_MOST_WITHOUT = 4
_WORDS_KEPT = 16_384


@dataclass(frozen=True)
class Saying:
    """What one clause says of one predicate; its words are read when someone asks for them.

    Attributes:
        families: The predicate, and the names under which other predicates tell the same.
        mode: What is said of what the families affirm.
        start: Where the predicate begins in the sentence.
        end: Where its last word ends.
        before: The clause as far as the predicate.
        told: As much of the clause as its words stand in.
        is_without: It goes without something (``없이``), which is told as its predicate.
    """

    families: frozenset[str]
    mode: Mode
    start: int
    end: int
    before: str = ""
    told: str = ""
    is_without: bool = False

    @lazy
    def words(self) -> tuple[Word, ...]:
        """The words of the clause that carry its subject."""
        return words_of(self.told)

    @lazy
    def turns(self) -> frozenset[str]:
        """Which turns the clause takes (unless, after, ...)."""
        turns = turns_of(self.before)
        return turns - {"unless"} if self.is_without else turns

    @lazy
    def figures(self) -> frozenset[str]:
        """The figures of the clause."""
        return figures_of(self.before)

    @lazy
    def names(self) -> frozenset[str]:
        """The names of its words, and its families."""
        return self.families.union(*(word.names for word in self.words))

    @lazy
    def heads(self) -> frozenset[str]:
        """The ends of those of its words that may be compounds."""
        return frozenset().union(*(word.heads for word in self.words))


class Said(NamedTuple):
    """A saying, the sentence it stands in, and the sentence before; empty if there is none."""

    saying: Saying
    sentence: str
    before: str


class Sayings:
    """What the sentences of a text say, in order; endless ones say nothing.

    Args:
        sentences: The sentences.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        self._sentences = sentences

    @lazy
    def _against(self) -> dict[int, tuple[Said, ...]]:
        """What the sentences say that may speak against a predicate, by their places."""
        places = (at for at, one in enumerate(self._sentences) if _may_speak_against(one))
        return {place: self._read(place) for place in places}

    @property
    def against(self) -> Iterable[Said]:
        """What some of them say; whatever speaks against a predicate is among it."""
        return chain.from_iterable(self._against.values())

    @lazy
    def all(self) -> tuple[Said, ...]:
        """What all of them say."""
        known = self._against
        read = (known[at] if at in known else self._read(at) for at in range(len(self._sentences)))
        return tuple(chain.from_iterable(read))

    def _read(self, place: int) -> tuple[Said, ...]:
        sentence = self._sentences[place]
        if len(sentence) > LONGEST_SENTENCE_CHARS:
            return ()
        before = self._sentences[place - 1] if place else ""
        return tuple(Said(saying, sentence, before) for saying in sayings(sentence))


def _may_speak_against(sentence: str) -> bool:
    """Tell whether a sentence may speak against a predicate, from its words alone."""
    if len(sentence) > LONGEST_SENTENCE_CHARS:
        return False
    if may_deny(sentence) or _JOINED.search(sentence):
        return True
    words = (*_WORD.findall(sentence), *_EXISTING.findall(sentence))
    return any(map(_may_deny, words))


@lru_cache(maxsize=_WORDS_KEPT)
def _may_deny(word: str) -> bool:
    """Tell whether a predicate whose word this is may be one that denies what another affirms."""
    plain = {lemma(word), lemma(f"{word[:-1]}다")}
    keys = {word, word_stem(word), *plain, *map(without_honorific, plain)}
    forms = [form for key in keys for form in _forms(key) if form in FAMILIES]
    return len(word) > _LONGEST_WORD_CHARS or not all(FAMILIES[form].affirms for form in forms)


def sayings(sentence: str) -> tuple[Saying, ...]:
    """Return what the clauses of a sentence say, in order."""
    told: list[Saying] = []
    main = [stance for stance in stances(sentence) if stance.role is Role.MAIN]
    predicates = main or list(_by_last_word(sentence))
    condition = _leading_condition(sentence) if len(predicates) > 1 else ""
    begin, lead, topic = 0, "", ""
    for stance in predicates:
        before = sentence[begin : stance.start]
        if begin:
            lead = condition if _SUBJECT.search(before) else topic
        told.extend(_of_clause(sentence, stance, begin, lead))
        if stance is not predicates[-1]:
            topics = list(_TOPIC.finditer(before))
            topic = f"{before[: topics[-1].end()]} " if topics else topic
        begin = stance.end
    return tuple(told)


def _leading_condition(sentence: str) -> str:
    """Return the condition that a sentence begins with: it holds for all of its clauses."""
    condition = next(conditions(sentence), None)
    topic = _TOPIC.search(sentence) if condition else None
    if condition is None or (topic and topic.start() < condition.start() - 1):
        return ""
    return f"{sentence[: condition.end()]} "


def _by_last_word(sentence: str) -> Iterator[Stance]:
    """Yield what a line says that ends in a noun (대학원생: 제외) or opens a list with one."""
    for match in _LAST_WORD.finditer(sentence):
        if match[1] in FAMILIES:
            yield Stance(match[1], Mode.DOES, Role.MAIN, *match.span(1))


def _of_clause(sentence: str, stance: Stance, begin: int, lead: str) -> Iterator[Saying]:
    predicate = sentence[stance.start : stance.end]
    has_object = _RECEIVED.search(predicate) is not None
    families, affirms = _families_at(sentence, stance, has_object=has_object)
    mode = stance.mode if affirms else _DENIED[stance.mode]
    behind = sentence[stance.end + 1 :] if sentence.startswith(":", stance.end) else ""
    for before in _items(lead + sentence[begin : stance.start], behind):
        saying = Saying(
            families=families,
            mode=mode,
            start=stance.start,
            end=stance.end,
            before=before,
            told=before + predicate if has_object else before,
        )
        yield saying
        yield from _without(sentence, begin, before + predicate, saying)


def _without(sentence: str, begin: int, clause: str, saying: Saying) -> Iterator[Saying]:
    """Yield what a clause says of what it goes without: needed where it cannot be done so."""
    if sentence.find("없", begin, saying.start) < 0:
        return
    for match in islice(_WITHOUT.finditer(sentence, begin, saying.start), _MOST_WITHOUT):
        yield replace(
            saying,
            families=_family(match[1], word_stem(match[1]))[0],
            mode=Mode.LACKS if saying.mode in AFFIRMATIVE else Mode.MUST,
            start=match.start(),
            end=match.end(),
            told=clause,
            is_without=True,
        )


def _items(before: str, behind: str) -> list[str]:
    """Return what stands before a predicate, once for each item of a list in it or behind it."""
    if behind:
        return [f"{item} " for item in (*behind.split(","), before)]
    *items, last = before.split(", ")
    topic = _SUBJECT.search(last)
    if topic is None or not all(_ENDS_IN_NOUN.search(item) for item in items):
        return [before]
    return [*(f"{item}{last[topic.end() :]} " for item in items), last]


def _families_at(sentence: str, stance: Stance, *, has_object: bool) -> tuple[frozenset[str], bool]:
    """Return the families of a predicate and whether it affirms what they tell."""
    if _AGAIN.search(sentence, max(0, stance.start - _AGAIN_CHARS), stance.start):
        return frozenset({f"재{stance.key}"}), True
    first = _WORD.match(sentence, stance.start)
    surface = word_stem(first[0]) if first else stance.key
    families, affirms = _family(surface, stance.key)
    if has_object:
        families |= FAMILIES["받"].names
    if stance.key in _LEANING or families & _LEANING_FAMILIES:
        look_back = max(0, stance.start - _LOOK_BACK_CHARS)
        if match := _NOUN_BEFORE.search(sentence, look_back, stance.start):
            families |= _family(match[1], word_stem(match[1]))[0]
    return families, affirms


@lru_cache(maxsize=_WORDS_KEPT)
def _family(*keys: str) -> tuple[frozenset[str], bool]:
    """Return the keys of one predicate with the names of its families, and whether it affirms."""
    own = frozenset().union(*(names_of(key) for key in keys))
    known = [FAMILIES[form] for key in keys for form in _forms(key) if form in FAMILIES]
    if not known:
        return own, True
    return own | known[0].names, known[0].affirms


def _forms(key: str) -> Iterator[str]:
    """Yield a key, without what may be stuck to it (휴관일, 드시), and the end of a compound."""
    yield from (key, key.removesuffix("일"), key.removesuffix("시"))
    if len(key) >= _LEAST_COMPOUND_CHARS:
        yield key[-2:]
