"""How well each line of the sources answers a question, weighed from signs.

No single sign decides: a line that answers may have none of the question's words, and one that has
all of them may be about another group. The weights were fitted on questions whose answering lines
are known (``guards/lexicons/direct_answer_weights.txt`` says which, and with what outcome): of all
lines, and the possibility that none answers, they tell how likely each is meant.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from guards.claims.question import is_generic
from guards.claims.reader import Modality, label_figures, label_words
from guards.core.reading import SourceSet, Text
from guards.evidence.sets import Values, joined_values
from guards.evidence.siblings import Siblings, place_of
from guards.evidence.values import Value, values_of
from guards.korean.words import Word
from guards.lexicons.loading import lines, section_words, sections, words
from guards.text.particles import stem
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension
from policies.asked import Asked, AskedWord, is_verb
from policies.lines import HELD, Line, Said, SourceLines, days_in, dense, others_for

SIGNS = (
    "near_things",
    "near_acts",
    "near_share",
    "only_above",
    "any_missing",
    "thing_apart",
    "act_elsewhere",
    "told_apart",
    "told_elsewhere",
    "figure_lacks",
    "open",
    "named_so",
    "gives",
    "gives_not",
    "whether",
    "whether_not",
    "side",
    "side_not",
    "given",
    "given_held",
    "named",
    "extra_label",
    "extra_condition",
    "extra_band",
    "other_topic",
    "other_name",
    "conflicts",
    "row",
)
"""The signs, each a number; see `Answering.signs`."""
BIAS = "bias"
_ABSENT, _HALF = 0.39, 0.5
_ABOVE = 0.9
_CODE = re.compile(r"(?<![a-z])[a-z]{1,3}-?\d+(?![a-z])")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_PREFIXES = words("prefixes")
_VALUE_NOUN = re.compile(rf"(?:{'|'.join(section_words('direct_answers', 'value_nouns'))})$")
_KINDS_APART = tuple(
    {word: kind[0] for kind in (entry.split("=") for entry in line.split()) for word in kind}
    for line in sections("direct_answers")["kinds"]
)
_OF_A_CASE = frozenset({"때", "경우"})
_TOPIC = frozenset({"은", "는"})
_WHETHER = {
    "may": frozenset({Modality.PERMITTED, Modality.FORBIDDEN}),
    "must": frozenset({Modality.REQUIRED, Modality.NOT_REQUIRED, Modality.FORBIDDEN}),
}
_OPEN = frozenset({"", "outcome"})
_BANDS = frozenset(
    {Dimension.AGE, Dimension.MONTHS, Dimension.PEOPLE, Dimension.GRAMS, Dimension.METRES}
)
_CALLED, _GIVES = (
    {name: re.compile(pattern) for name, pattern in map(str.split, entries)}
    for entries in (sections("direct_answers")["labels"], sections("direct_answers")["gives"])
)
# 준비물은 아래와 같습니다.
_LEADS = re.compile(
    r"(?:아래|다음)(?:의\s\S+)?[와과]\s?같|다음에 해당"
    r"|(?:아래|다음)\s(?:각|표|서류|순서|절차|방법|기간|금액)"
)
_BELOW = re.compile(r"[이가은는도]?\s?(?:아직|안\s?[되됐넘]|못\s?[되됐]|미만)")
_AT_PARTICLES = frozenset({"에서", "로", "으로", "께", "에게"})
_NO_PLACE = re.compile(
    r"[일월년날때후전시안중내번]$|경우|기간|동안|방식|기준|순|이유|금액|대상|등$"
)
_NAMING = frozenset({"층", "호", "급", "등급", "종", "학년", "학기", "기", "차", "번지"})
"""Kinds of figures that tell one thing from another."""
_GROUP = re.compile(
    r"(?:[규약기]직|임산부|임신부|[가-힣]회원|[가-힣]학생|수급자|유공자|장애인|외국인|근로자|[가-힣]{2}자)$"
)
_AGAINST = frozenset({Modality.FORBIDDEN, Modality.DENIED})


class Scored(NamedTuple):
    """A line of the sources.

    Attributes:
        line: The line.
        likely: How likely it is meant to be the answer: above 0.5 more so than all else.
        lacks: Whether its source has nothing of a thing that is asked about.
    """

    line: Line
    likely: float
    lacks: bool


def scored(asked: Asked, sources: SourceSet) -> list[Scored]:
    """Return the lines of the sources, the one that answers most likely first."""
    weights = _fitted()
    found = Answering(asked, sources).signs()
    odds = [
        math.exp(weights[BIAS] + sum(weights[name] * value for name, value in signs.items()))
        for _, signs in found
    ]
    total = 1 + sum(odds)
    rated = [
        Scored(line, own / total, signs["any_missing"] > 0)
        for (line, signs), own in zip(found, odds, strict=True)
    ]
    return sorted(rated, key=lambda one: -one.likely)


@cache
def _fitted() -> Mapping[str, float]:
    entries = (line.split() for line in lines("direct_answer_weights"))
    return {name: float(value) for name, value in entries}


class Answering:
    """One question, compared with every line of some sources."""

    def __init__(self, asked: Asked, sources: SourceSet) -> None:
        self._asked = asked
        self._sources = sources.once(SourceLines)
        self._lines = self._sources.lines
        self._features = frozenset(one for word in asked.words for one in word.word.features)
        self._dense = dense(asked.text)
        siblings = sources.once(Siblings)
        self._foreign = siblings.foreign("", asked.text, "") if siblings else {}
        self._days = days_in(asked.text)
        self._words = [_Held(word, self._lines) for word in asked.words]

    def signs(self) -> list[tuple[Line, Mapping[str, float]]]:
        """Return each line with the signs that it answers, or does not.

        Those that are certainly about something else, or only lead to a list, are left out.
        """
        return [
            (line, self._signs(at, line))
            for at, line in enumerate(self._lines)
            if not (
                _LEADS.search(line.text)
                or self._is_of_another(line)
                or self._is_beside_the_row(line)
            )
        ]

    def _signs(self, at: int, line: Line) -> Mapping[str, float]:
        signs = dict.fromkeys(SIGNS, 0.0)
        self._weigh_words(at, line, signs)
        self._weigh_slot(line, signs)
        self._weigh_given(line, signs)
        self._weigh_rest(line, signs)
        return signs

    def _weigh_words(self, at: int, line: Line, signs: dict[str, float]) -> None:
        whole = near = 0.0
        for one in self._words:
            role, own, here = one.asked.role, one.near[at], one.here[at]
            in_source = max(here, one.within[line.place])
            missing = "elsewhere" if one.known >= HELD else "unknown"
            for name, value in (("apart", in_source - here), (missing, 1 - in_source)):
                if f"{role}_{name}" in signs:
                    signs[f"{role}_{name}"] += value
            if role in {"number", "case"} and here < _HALF:
                signs["conflicts"] += 1
            if role in {"thing", "number", "case"}:
                signs["any_missing"] = max(signs["any_missing"], in_source < _ABSENT)
                signs["only_above"] += own < _HALF <= here
            if own >= HELD:
                signs["near_acts" if role == "act" else "near_things"] += 1
            if role != "told" or one.known >= HELD:
                whole += one.rarity
                near += one.rarity * own
        signs["near_share"] = near / whole if whole else 0.0

    def _weigh_slot(self, line: Line, signs: dict[str, float]) -> None:
        """Weigh whether a line gives what is asked for."""
        asked = self._asked
        if asked.side is not None:
            has_side = asked.side.search(line.near.text) is not None
            signs["side"] = has_side
            signs["side_not"] = not has_side and not line.cells
        if asked.kinds:
            signs["figure_lacks"] = not _gives_figure(line, asked)
        elif asked.asks_for in _WHETHER or asked.asks_for == "is_there":
            signs["whether" if _tells_whether(line, asked.asks_for) else "whether_not"] = 1.0
        elif asked.asks_for in _OPEN:
            signs["open"] = 1.0
        else:
            slot = _CALLED.get(asked.asks_for)
            over = [*(one.text for one in (*line.labels, *line.over)), *line.columns.values()]
            over += [line.source.title, line.lead.text if line.lead else ""]
            signs["named_so"] = slot is not None and any(map(slot.search, over))
            signs["gives" if _gives(line, asked.asks_for) else "gives_not"] = 1.0

    def _weigh_given(self, line: Line, signs: dict[str, float]) -> None:
        """Weigh whether a line stands for the figures that a question gives (4kg: 5kg 이하)."""
        texts = [line.head] if line.cells else [*(one.text for one in line.labels), line.text]
        for value in self._asked.given:
            point = _point(value, self._asked.text)
            bands = [band for text in texts for band in _bands(text, value.kind)] if point else []
            if point and bands:
                held = any(not band.meet(point).is_empty for band in bands)
                signs["given_held"] += held
                signs["conflicts"] += not held
            elif _has(line.near, value):
                signs["given"] += 1
            elif value.is_among(values_of(Text(line.above.text))):
                signs["given"] += HELD

    def _weigh_rest(self, line: Line, signs: dict[str, float]) -> None:
        """Weigh what a line says that was not asked."""
        asked, head = self._asked, line.head
        if head:
            named = any(line.named.grade(one) >= HELD for one in asked.words)
            given = any(dense(value.text) in line.named.dense for value in asked.given)
            signs["named"] = named or given or signs["given_held"] > 0
        under = line.above.dense
        for label in line.labels:
            if not label.text.endswith("?"):
                signs["extra_label"] += self._extra(label_words(label.text), under)
        conditions = (claim.clause for claim in line.claims if claim.clause.is_condition)
        extra = self._extra((word for one in conditions for word in one.words), under)
        signs["extra_condition"] = math.log1p(extra)
        known = {value.kind for value in asked.given} | asked.kinds
        text = head if line.cells else line.near.text
        signs["extra_band"] = any(_bands(text, kind) for kind in _BANDS - known) or any(
            word.particle in _TOPIC and _GROUP.search(word.text) and self._extra([word], under)
            for word in line.words
        )
        signs["other_topic"] = self._has_other_topic(line)
        signs["other_name"] = self._has_other_name(line)
        signs["row"] = bool(line.cells)

    def _is_of_another(self, line: Line) -> bool:
        """Tell whether a line is of another kind, day, year, code or branch than a question."""
        asked = self._asked
        ours = {one.word.text for one in asked.words}
        theirs = {word.text for word in (*line.words, *label_words(line.head))}
        pairs = [(_kinds_of(ours, kinds), _kinds_of(theirs, kinds)) for kinds in _KINDS_APART]
        days = days_in(line.head) or days_in(line.near.text)
        text = line.near.dense + line.above.dense
        years = [year[0] for one in asked.given if (year := _YEAR.match(one.text))]
        return (
            any(own and other and own.isdisjoint(other) for own, other in pairs)
            or bool(self._days and days and self._days.isdisjoint(days))
            or any(year not in text for year in years)
            or any(code not in text for code in _CODE.findall(self._dense))
            or any(map(line.head.startswith, asked.denied))
            or any(_has_another(line.near, value) for value in asked.given)
            or place_of(line.claims[0], line.place) in self._foreign
        )

    def _is_beside_the_row(self, line: Line) -> bool:
        """Tell whether a question names another row of a line's table, and not this one.

        등록할 때 names no row of 등록 장애인.
        """
        if not line.cells:
            return False
        table = line.place, line.claims[0].block.table
        things = [one for one in self._asked.words if not one.word.is_verb]
        own = {one.text for one in things if line.named.grade(one) >= HELD}
        return any(
            own < {one.text for one in things if other.named.grade(one) >= HELD}
            for other in self._lines
            if other.cells and (other.place, other.claims[0].block.table) == table
        )

    def _extra(self, found: Iterable[Word], under: str) -> int:
        """Count the nouns that neither a question nor what a line stands under has."""
        return sum(not self._is_expected(word, under) for word in found)

    def _is_expected(self, word: Word, under: str) -> bool:
        return (
            word.is_verb
            or word.is_light
            or is_generic(word)
            or not self._features.isdisjoint(word.features)
            or word.text in self._dense
            or word.text in under
            or any(one in self._dense for one in others_for(word.text))
            or any(map(str.isdigit, word.text))
        )

    def _has_other_topic(self, line: Line) -> bool:
        """Tell whether the topics of a sentence (…은, …는) are none that was asked about."""
        found = False
        clauses = () if line.cells else (one.clause for one in line.claims)
        for clause in clauses:
            for word in () if clause.is_condition else clause.words:
                if self._is_meant(word, line.above.dense):
                    return False
                is_topic = word.particle in _TOPIC and not is_verb(word)
                names = word.text not in _OF_A_CASE and not is_generic(word)
                if is_topic and names and not _VALUE_NOUN.search(word.text):
                    found = True
        return found

    def _is_meant(self, word: Word, under: str) -> bool:
        return (
            not self._features.isdisjoint(word.features)
            or word.text in self._dense
            or word.text in under
            or not others_for(word.text).isdisjoint(self._features)
        )

    def _has_other_name(self, line: Line) -> bool:
        """Tell whether a line names another one of what is asked (새솔지점 for 한빛지점)."""
        tokens = _tokens(line.near.text) | _tokens(line.above.text)
        return any(
            self._is_beside(one.word.text, other, line.place)
            for one in self._asked.words
            if one.role not in {"act", "number"} and self._is_name_for(one.word.text, line)
            for other in tokens
        )

    @staticmethod
    def _is_name_for(name: str, line: Line) -> bool:
        is_said = name in line.near.dense or name in line.above.dense
        return name[:1] in _PREFIXES or (len(name) > 2 and not is_said)

    def _is_beside(self, name: str, other: str, place: int) -> bool:
        size = _common_end(name, other)
        if size < 2 or size == len(name):
            return False
        own = name[: len(name) - size]
        if own in _PREFIXES:
            return True
        return len(other) > size and not self._sources.has(place, own)


class _Held:
    """A word of a question, and how surely each line is about it.

    Attributes:
        asked: The word.
        near: How surely each line says it itself.
        here: How surely each line is about it.
        within: The same for the whole of each source.
        known: The same for all sources.
        rarity: From near 0, where every line is about it, to 1.
    """

    def __init__(self, asked: AskedWord, found: Sequence[Line]) -> None:
        self.asked = asked
        above: dict[str, float] = {}
        self.near = [line.near.grade(asked) for line in found]
        self.here, within = [], dict[int, float]()
        count = 0
        for own, line in zip(self.near, found, strict=True):
            over = above.setdefault(line.above.text, -1.0)
            if over < 0:
                over = above[line.above.text] = line.above.grade(asked)
            here = max(own, _ABOVE * over)
            within[line.place] = max(within.get(line.place, 0.0), own, over)
            count += max(own, over) >= HELD
            if here < _HALF and line.before is not None:
                here = max(here, _HALF * line.before.near.grade(asked))
            self.here.append(here)
        self.within = within
        self.known = max(within.values(), default=0.0)
        lines_in_all = max(1, len(found))
        self.rarity = math.log(1 + lines_in_all / (1 + count)) / math.log(1 + lines_in_all)


def _gives_figure(line: Line, asked: Asked) -> bool:
    """Tell whether a line has a figure of the kind that is asked for, or says it in words."""
    text = " | ".join(list(line.cells.values())[1:]) if line.cells else line.text
    for value in values_of(Text(text)):
        if value.kind in asked.kinds and not value.is_among(asked.given):
            return True
    if Dimension.WON in asked.kinds:
        return _GIVES["money"].search(line.text) is not None
    is_when = not asked.kinds.isdisjoint({Dimension.DATE, Dimension.CLOCK, Dimension.DAYS})
    return is_when and _GIVES["time"].search(line.text) is not None


def _tells_whether(line: Line, asks_for: str) -> bool:
    """Tell whether a line says that something may or must be done, or is there."""
    if asks_for == "is_there":
        return not line.cells and _GIVES["is_there"].search(line.text) is not None
    found = {claim.clause.modality for claim in line.claims}
    return not found.isdisjoint(_WHETHER[asks_for])


def _gives(line: Line, asks_for: str) -> bool:
    """Tell whether a line gives a place, a person, papers, a way or a meaning."""
    says = _GIVES[asks_for].search(line.text) is not None
    if asks_for == "place":
        return says or any(
            word.particle.removesuffix("만").removesuffix("는") in _AT_PARTICLES
            and not (word.is_verb or _NO_PLACE.search(word.text))
            for claim in line.claims
            for word in claim.clause.words
        )
    if asks_for == "papers":
        forms = (one.text for one in line.words if not one.is_verb)
        return says or any(len(one) > 2 and one.endswith("서") for one in forms)
    return says and not (asks_for == "way" and line.claims[-1].clause.modality in _AGAINST)


def _point(value: Value, question: str) -> Values | None:
    """Return the value that a question gives as it is, without a limit; 70세 안 됐다 is below."""
    slot = value.slot
    if not isinstance(slot, Quantity) or slot.comparing_word:
        return None
    less = _BELOW.match(question[value.end :]) is not None
    values = slot.measure.values
    return Values(min(values) - less, max(values) - less)


@lru_cache(maxsize=4096)
def _bands(text: str, dimension: str) -> tuple[Values, ...]:
    """Return the bands of values of a dimension that a text gives (3kg 초과 5kg 이하)."""
    found = [one for one in label_figures(text) if one.measure.dimension == dimension]
    bands = [values for _, values in joined_values(found, text)] if found else []
    bands += [
        Values(min(one.measure.values), max(one.measure.values))
        for one in found
        if len(one.measure.values) > 1
    ]
    return tuple(one for one in bands if not (one.is_point or one.is_empty))


def _has(said: Said, value: Value) -> bool:
    written = rf"(?<![\d,.]){re.escape(dense(value.text))}(?!\d)"
    return re.search(written, said.dense) is not None or value.is_among(values_of(Text(said.text)))


def _has_another(said: Said, value: Value) -> bool:
    """Tell whether a text has another one of what a value tells apart (2층, 50명 이상)."""
    if not (value.kind in _NAMING or value.is_threshold):
        return False
    others = [
        one
        for one in values_of(Text(said.text))
        if one.kind == value.kind and one.comparing_word == value.comparing_word
    ]
    return bool(others) and not value.is_among(others)


def _kinds_of(texts: Iterable[str], kinds: Mapping[str, str]) -> set[str]:
    return {kinds[text] for text in texts if text in kinds}


@lru_cache(maxsize=4096)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(stem(token) for token in re.findall(r"[가-힣]{2,}", text))


def _common_end(one: str, other: str) -> int:
    size = 0
    for ours, theirs in zip(reversed(one), reversed(other), strict=False):
        if ours != theirs:
            break
        size += 1
    return size
