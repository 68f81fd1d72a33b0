"""The source statement that an answer's statement contradicts.

Two statements contradict each other if they take opposite sides of one act, or of what is granted
or demanded whatever their verbs, and they speak of the same: the source has most of what the
answer's is about and the answer most of what the source's is about, neither is limited to something
that the other does not name, and no condition turns the one into the other. A source statement that
has as much of the answer's and does not oppose it settles it.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations

from guards.claims.layout import Level
from guards.claims.reader import Claim, Modality
from guards.core.keeping import lazy
from guards.evidence.opposites.acts import CHARGED, Act, are_turned, has_sides
from guards.evidence.opposites.meaning import (
    OFFERS,
    Match,
    SourceMeaning,
    covered,
    relation,
    words_for,
    words_of,
)
from guards.evidence.opposites.pieces import AGAINST, telling
from guards.evidence.opposites.statements import (
    LATER,
    SAME_SENTENCE,
    SENTENCE_BEFORE,
    Statement,
    is_against,
)
from guards.evidence.opposites.valence import (
    are_named,
    by_valence,
    carriers,
    demanded,
    granted,
    is_carrier,
    main_act,
)
from guards.korean.words import Word
from guards.lexicons.loading import section_words

_SAME_ACT = 0.8
"""Weight from which on two statements say one act."""
_BY_SIDE = 0.75
"""Weight of the same or the opposite side where the acts are not the same."""
_UNLABELLED = 0.3
"""Share that is left where an answer names nothing of a source's row and column."""
_OWN_NAMED, _ITS_NAMED = 0.6, 0.5
"""Least share of what the answer's statement is about, and of what the source's is about."""
_NEAR = 0.55
_HALF = 0.5


def contradiction(
    meaning: SourceMeaning, statement: Statement, question: Mapping[str, float], least: float
) -> Match | None:
    """Return the source statement that contradicts a statement most; None if none does.

    Args:
        meaning: The statements of the sources.
        statement: A statement of an answer.
        question: The features of the question.
        least: How much the two have to share.
    """
    held = _Held(meaning, statement, question)
    places = held.with_other_side()
    if not places or _is_half(statement) or _takes_no_side(statement):
        return None
    best: tuple[float, float, Statement] | None = None
    for at in places:
        source = meaning.statements[at]
        agrees, weight, skip = held.opposition(at)
        if agrees >= 0 or _are_apart(statement, source):
            continue
        own, its = held.own_share(at, skip), meaning.coverage(source.parts, held.near, skip)
        share = weight * own * its * held.label_share(source)
        if own < _OWN_NAMED or its < _ITS_NAMED or share < least:
            continue
        if (best is None or share > best[0]) and not held.is_other_case(source):
            best = share, own, source
    if best is None or held.is_supported(best[1]):
        return None
    return Match(statement, best[2], -1, best[0])


# 동문 장학금과 함께 받을 수 없다 says nothing of another one.
_TOGETHER = re.compile(r"[가-힣](?:와|과|이랑|랑|하고)\s.{0,20}?(?:함께|같이|동시에|중복|겹쳐|겸)")
_PLAIN_SHARE, _PLAIN_NAMED, _PLAIN_NAMED_BY_SIDE = 0.4, 0.5, 0.6


def is_plain(match: Match) -> bool:
    """Tell whether a contradiction can be read off the two clauses alone.

    They say one act, or the source's sentence is one clause; each names most of what the other one
    speaks of, and the answer's all of the source's condition. What only stands near, in the answer
    or the question, was wrong two times in three on answers that nobody had seen.
    """
    statement, source = match.statement, match.source_statement
    agrees, weight, act = relation(statement, source)
    is_one_act = agrees != 0 and weight >= _SAME_ACT and act is not None
    if match.share < _PLAIN_SHARE or not _names_case(statement, source):
        return False
    if not (is_one_act or len(source.sentence) == 1):
        return False
    skip = _empty_acts() | _side_words(statement, source)
    if act is not None:
        skip |= words_for(act, statement, source)
    least = _PLAIN_NAMED if is_one_act else _PLAIN_NAMED_BY_SIDE
    of_source = 1.0 if _TOGETHER.search(source.claim.text) else least
    return (
        _named_share(source, statement, skip) >= of_source
        and _named_share(statement, source, skip) >= least
    )


def _named_by(statement: Statement) -> dict[str, float]:
    """Return the features that stand in a statement's clause, conditions and labels."""
    claims = (statement.claim, *statement.conditions)
    around = [word for one in claims for word in one.clause.words]
    around += [word for _, label in statement.claim.labels for word in label]
    return dict.fromkeys((feature for word in around for feature in word.features), 1.0)


def _names_case(statement: Statement, source: Statement) -> bool:
    """Tell whether a statement names all of the case that a source sets as its condition."""
    named = _named_by(statement)
    words = (word for one in source.conditions for word in telling(one.clause.words))
    return all(covered(word, named) > 0 for word in words)


def _named_share(statement: Statement, by: Statement, skip: Collection[str]) -> float:
    """Return the share of a statement's words that stand in another one's clause and labels."""
    named = _named_by(by)
    own = [one for one in words_of(statement) if one.features[-1] not in skip]
    return sum(covered(one, named) > 0 for one in own) / len(own) if own else 0.0


# 가산을 피하다, 없어도 된다, 예약을 제한받다: what verb and noun say together is the noun's denial,
# or its passive; the verb alone takes no side.
_TAKES_NO_SIDE = re.compile(r"(?:피하|면하|벗어나|막)/VV|없/VA (?:어도|아도)/EC")
_BEARS = re.compile(r"(?:제한|금지|정지|차단|거절|거부|취소|박탈|불이익)[을를]?\s?(?:받|당)[가-힣]")


# 더 늦어질 수 있다: that it may come to be so is no permission.
_BECOMES = re.compile(r"/V\S+ (?:어|아|여|ㅓ)/EC 지/VX \S*(?:ㄹ|을)/ETM 수/NNB 있/")
# 향수는 그 금지에서 빠집니다: out of a ban is allowed.
_OUT_OF_BAN = re.compile(
    r"(?:금지|제한|규제|불이익|감점|벌점|위약금|과태료|수수료)\s?(?:대상|품목|항목|사유)?"
    r"(?:에서|에|은|는|이|가|을|를)?는?\s?(?:빠|제외|벗어|해당하?지|예외|풀)"
)
# 기한이 없어 계속 쓸 수 있다: one clause that denies and grants.
_DENIES_FIRST = re.compile(r"(?:없|아니|않|못하)/V\S+ (?:[어아여ㅓ]서?|고|으?므로|으?니까?)/EC \S")
# 바로 세워야 하는 것은 그 상태가 계속될 때입니다: a case is named, and nothing said about it.
_NAMES_CASE = re.compile(r"(?:때|경우)/NN\w (?:만/JX |뿐/\S+ )?이/VCP ")
_PREDICATE_CHARS = 8
# 40분 이상 쉬고: people rest, and nothing is closed.
_RESTS = re.compile(r"\d\s?(?:분|시간|초|일)[^.,]{0,8}\s쉬")
# 5일 전까지만 가능해 지금은 어렵습니다: the limit is told, and the verdict is on the user's case.
_TOLD_LIMIT = re.compile(r"(?:까지만|에만|만)\s?(?:가능|됩|되|할 수|이용|적용|해당)")


def _takes_no_side(statement: Statement) -> bool:
    claim = statement.claim
    told = [one.text for one in statement.sentence[: claim.position]]
    before = " ".join((*told, claim.text[:-_PREDICATE_CHARS]))
    if _RESTS.search(claim.text) or _TOLD_LIMIT.search(before):
        return True
    trail = claim.clause.trail
    return bool(
        _TAKES_NO_SIDE.search(trail)
        or _DENIES_FIRST.search(trail)
        or _NAMES_CASE.search(trail)
        or _BECOMES.search(trail)
        or _BEARS.search(claim.text)
        or _OUT_OF_BAN.search(claim.text)
        or _is_borne_by_party(statement)
    )


def _is_borne_by_party(statement: Statement) -> bool:
    """Tell whether one of the parties pays, who may be the one who asks (판매자가 부담)."""
    act = main_act(statement)
    return (
        act is not None
        and act.name == CHARGED
        and any(
            word.text in section_words("payers", "party") for word in statement.claim.clause.words
        )
    )


def _are_crossed(statement: Statement, source: Statement) -> bool:
    """Tell whether two nouns have changed places (원액에 물을 붓다, 물에 원액을 붓다)."""
    own, its = (
        {word.features[-1]: _role(word) for word in words_of(one)} for one in (statement, source)
    )
    shared = [one for one in own if own[one] and own[one] != its.get(one)]
    return any(
        own[one] == its.get(other) and own[other] == its.get(one)
        for one, other in combinations(shared, 2)
    )


def _role(word: Word) -> str:
    return _ROLES.get(word.particle.rstrip("은는도만"), "")


def _spared(statement: Statement) -> Word | None:
    """Return what a statement says is not needed by the word 없이; None if it does not."""
    at = statement.claim.text.find("없이")
    if statement.acts or at < 0 or statement.modality is not Modality.NOT_REQUIRED:
        return None
    end = statement.claim.clause.start + at
    return next((one for one in reversed(statement.claim.clause.words) if one.end <= end), None)


_ROLES = {
    form: forms[0]
    for forms in map(str.split, ("이 가", "을 를", "에 에게", "에서", "로 으로"))
    for form in forms
}
_SEPARATELY = re.compile(r"(?<![가-힣])(?:따로|별도|나누어|나눠|구분(?:하여|해))")


def _are_apart(statement: Statement, source: Statement) -> bool:
    """Tell whether a source takes no side, or the two are of something else.

    Both may say that it is dealt with separately, or their nouns may have changed places.

    What is done without (승인 없이) has to be what the source demands.
    """
    if _takes_no_side(source) or _are_crossed(statement, source):
        return True
    spared = _spared(statement)
    if spared is not None and not any(
        covered(spared, dict.fromkeys(word.features, 1.0)) for word in words_of(source)
    ):
        return True
    texts = (" ".join(part.text for part in one.sentence) for one in (statement, source))
    return all(_SEPARATELY.search(text) for text in texts)


@cache
def _empty_acts() -> frozenset[str]:
    """Return the acts that say no more than that something is had, done or offered."""
    return carriers() | OFFERS


_HERE = re.compile(r"(?:이|그)\s?(?:경우|때)")
_FEW_WORDS = 3


class _Held:
    """A statement of an answer, to compare with those of the sources.

    Attributes:
        words: What it is about, with what its case is about (이 경우에는).
    """

    def __init__(
        self, meaning: SourceMeaning, statement: Statement, question: Mapping[str, float]
    ) -> None:
        self._meaning = meaning
        self._statement = statement
        self._question = question
        before: Sequence[Claim] = ()
        if any(_HERE.search(one.text) for one in (*statement.conditions, statement.claim)):
            before = statement.sentence[: statement.claim.position]
        case = (word for one in before for word in telling(one.clause.words))
        self.words = (*words_of(statement), *case)

    @lazy
    def near(self) -> Mapping[str, float]:
        """What stands near it, in the question too, and how much each weighs."""
        around = self._statement.around.items()
        near = {feature: weight for feature, weight in around if weight >= LATER}
        return {**self._question, **near}

    @lazy
    def _named(self) -> Collection[str]:
        """What stands in it, its conditions and its labels, and in the question."""
        around = self._statement.around.items()
        return self._question.keys() | {one for one, weight in around if weight > SAME_SENTENCE}

    def with_other_side(self) -> list[int]:
        """Return the places of the source statements that may take the other side, in order."""
        meaning = self._meaning
        places = meaning.with_act(self._statement)
        grants, demands = granted(self._statement), demanded(self._statement)
        if grants or demands:
            shared = Counter(meaning.places_of(self.words))
            fewest = 1 if len(self.words) <= _FEW_WORDS else 2
            places |= {
                at
                for at, count in shared.items()
                if count >= fewest
                and (grants * meaning.sides[at][0] < 0 or demands * meaning.sides[at][1] < 0)
            }
        return sorted(at for at in places if not meaning.statements[at].is_named)

    def opposition(self, at: int) -> tuple[int, float, frozenset[str]]:
        """Return whether a source statement agrees, how surely, and the words for its act."""
        statement, source = self._statement, self._meaning.statements[at]
        agrees, weight, act = relation(statement, source)
        if agrees and weight >= _SAME_ACT and act is not None:
            return agrees, weight, carriers() | words_for(act, statement, source)
        near = self._meaning.near(at).keys()
        by_side = by_valence(statement, source, self._named, near)
        if by_side:
            return by_side, _BY_SIDE, _empty_acts() | _side_words(statement, source)
        if agrees and not are_named(statement, source, self._named, near):
            agrees = 0
        return agrees, weight, _empty_acts()

    def own_share(self, at: int, skip: Collection[str]) -> float:
        """Return the share of the statement's words that a source statement has; 0 if none."""
        rest = [word for word in self.words if word.features[-1] not in skip]
        return self._meaning.held(rest, self._meaning.near(at)) if rest else 0.0

    def label_share(self, source: Statement) -> float:
        """Return how much is left if the statement does not name a source's row and column."""
        act = main_act(source)
        if act is not None and act.word is None:
            return 1.0  # 휴관일: 매주 월요일. The label says it.
        words = [
            word
            for level, label in source.claim.labels
            if level is not Level.HEADING
            for word in label
            if not word.is_light
        ]
        return _UNLABELLED + (1 - _UNLABELLED) * self._meaning.held(words, self.near)

    def is_supported(self, least: float) -> bool:
        """Tell whether a source statement that is not opposed has as much of the statement."""
        for at in set(self._meaning.places_of(self.words)):
            agrees, _, skip = self.opposition(at)
            own = self.own_share(at, skip) if agrees >= 0 else 0.0
            if own > least or (agrees > 0 and own == least):
                return True
        return False

    def is_other_case(self, source: Statement) -> bool:
        """Tell whether a source statement speaks of another case."""
        statement = self._statement
        around = {**self._question, **statement.around}
        return (
            are_turned(statement.turns, source.turns)
            or _is_half(source)
            or bool(self._meaning.exception_behind(source))
            or _is_only_of_others(statement, source)
            or _is_only_of_others(source, statement)
            or _takes_out(statement, source)
            or _takes_out(source, statement)
            or _are_of_other_things(statement, source)
            or (self._is_aside(source) and not _names_all(source, around))
            or self._is_limited(statement, source.around)
            or self._is_limited(source, around)
        )

    def _is_aside(self, source: Statement) -> bool:
        """Tell whether a source says something in brackets (온라인 가입 불가)."""
        plain = self._meaning.readings[source.source].page.plain
        return source.start > 0 and plain[source.start - 1] in "(（"

    def _is_limited(self, statement: Statement, around: Mapping[str, float]) -> bool:
        """Tell whether a statement is limited to something that another one does not name."""
        if any(not word.is_light and not covered(word, around) for word in statement.only):
            return True
        close = {feature: 1.0 for feature, weight in around.items() if weight >= SENTENCE_BEFORE}
        topics = [
            [word for word in topic if word.features[-1] not in carriers()]
            for topic in statement.topic
        ]
        held = self._meaning.held
        if max((held(one, close) for one in topics), default=1.0) < _HALF:
            return True
        near = {feature: weight for feature, weight in around.items() if weight >= _NEAR}
        is_own = statement.source < 0
        return not is_own and held(statement.given, near) < _HALF


def _side_words(*statements: Statement) -> frozenset[str]:
    """Return the features of the words that only tell which side statements take."""
    acts: Iterable[Act | None] = (main_act(statement) for statement in statements)
    return frozenset(
        act.word.features[-1]
        for act in acts
        if act is not None and act.word is not None and (is_carrier(act) or has_sides(act.name))
    )


# 내셔야 연체료가 붙지 않습니다: the opposite case is meant. So is it in 일요일이 아니라 월요일에.
_NEEDED = re.compile(
    r"(?:아야|어야|여야|ㅓ야|야)/EC (?!(?:만/JX )?(?:하|되|돼|지|겠|한|합)/)|아니/VCN (?:라|고)/EC"
)
_LEADS_ON = re.compile(r"(?:아서|어서|여서|ㅓ서|고)/EC$")
_NO_END = re.compile(r"[,·]\s*$")
_SUBJECT = frozenset("은 는 이 가 도".split())


def _is_half(statement: Statement) -> bool:
    """Tell whether a statement is only half of what is said, so that its side is unknown."""
    trail = statement.claim.clause.trail
    if _NEEDED.search(trail):
        return True
    sides = {(act.name, act.side) for act in statement.acts}
    if any((name, -side) in sides for name, side in sides):
        return True
    behind = statement.sentence[statement.claim.position + 1 :]
    if not behind or statement.modality in AGAINST or behind[0].clause.modality not in AGAINST:
        return False
    # 들고 들어갈 수 없습니다; 해고, 임금 공제 등을 하지 않는다.
    if _LEADS_ON.search(trail):
        words = behind[0].clause.words
        return not any(word.particle in _SUBJECT and not word.is_light for word in words)
    return _NO_END.search(statement.claim.text) is not None


_ONLY = re.compile(r"만/JX")


def _is_only_of_others(one: Statement, other: Statement) -> bool:
    """Tell whether one is limited to something and the other denies what is beyond it.

    방문 수령만 가능하다 and 택배로는 받을 수 없다 say the same.
    """
    if not is_against(other) or not _ONLY.search(one.claim.clause.trail):
        return False
    own = {word.features[-1] for word in words_of(other)}
    return not any(word.features[-1] in own for word in one.only)


def _takes_out(one: Statement, other: Statement) -> bool:
    """Tell whether one takes out what the other one is about (월요일만 빼고 운영한다)."""
    out = {word.features[-1] for word in one.excluded}
    return bool(out) and any(not out.isdisjoint(word.features) for word in words_of(other))


def _names_all(source: Statement, around: Mapping[str, float]) -> bool:
    """Tell whether all that a source's aside speaks of, besides its act, stands near."""
    acts = {act.word for act in source.acts}
    return all(
        any(all(word in acts or covered(word, around) for word in one) for one in part.alternatives)
        for part in source.parts
        if part.weight == 1.0
    )


_DESIGNATOR = re.compile(
    r"(\d+)\s?(관|동|호|층|부|급|종|기|호선|호점|학년|단계|회차)"
    r"(?=이나|이라|이면|에서|부터|까지|에는|(?![가-힣]{2}))"
)
_DAY = re.compile(r"(?<![가-힣])(?:평일|주말|공휴일|휴일|[월화수목금토일]요일|[토일](?=요일|·|,))")
_DAYS = {"평일": "월화수목금", "주말": "토일", "공휴일": "휴", "휴일": "토일휴"}
# 둘째 토요일, 격주 월요일: only some of them.
_SOME = re.compile(r"(?:첫|둘|셋|넷|다섯)째|격주|홀수|짝수|\d+주차")
_TOPIC_END = re.compile(r"[가-힣](?:은|는)(?=\s)")


def _are_of_other_things(statement: Statement, source: Statement) -> bool:
    """Tell whether two statements speak of other days, numbered things, figures or cases."""
    case = (*source.conditions, source.claim)
    if are_named_apart((statement.claim,), case):
        return True
    own, its = _figures((statement.claim,)), _figures(case)
    if any(own[kind].isdisjoint(its[kind]) for kind in own.keys() & its.keys()):
        return True
    some = _SOME.findall(source.claim.text)
    if some and not set(some) <= set(
        _SOME.findall(" ".join(one.text for one in statement.sentence))
    ):
        return True
    topic = _TOPIC_END.search(source.claim.text)
    # 2박 3일은 석식을 포함한다: the answer may speak of another stay.
    until = statement.claim.position + 1
    return topic is not None and _lacks_figures(
        statement.sentence[:until],
        source.claim,
        source.claim.start,
        source.claim.start + topic.end(),
    )


def are_named_apart(claims: Iterable[Claim], others: Iterable[Claim]) -> bool:
    """Tell whether some clauses name other days or numbered things than some others (1관, 2관)."""
    own, its = (_designators(" ".join(map(_labelled, these))) for these in (claims, others))
    return any(own[unit].isdisjoint(its[unit]) for unit in own.keys() & its.keys())


def _labelled(claim: Claim) -> str:
    return " ".join((*(label.text for label in claim.block.labels), claim.text))


def _designators(text: str) -> dict[str, set[str]]:
    """Return the numbers and days by which a text names its things, by their kind (1관, 토요일)."""
    found: dict[str, set[str]] = {}
    if days := {day for name in _DAY.findall(text) for day in _DAYS.get(name, name[0])}:
        found["요일"] = days
    for number, unit in _DESIGNATOR.findall(text):
        found.setdefault(unit, set()).add(number)
    return found


def _figures(case: Iterable[Claim]) -> dict[str, set[object]]:
    found: dict[str, set[object]] = {}
    for one in (figure for claim in case for figure in claim.clause.figures):
        found.setdefault(one.measure.dimension, set()).update(one.measure.values)
    return found


_DIGIT = re.compile(r"\d")
_BRACKETS = re.compile(r"[(（][^()（）]*[)）]")


def is_of_other_figures(statement: Statement, source: Statement) -> bool:
    """Tell whether a source speaks of figures that an answer's sentence has none of.

    직전 1년 안에 감경받은 사람은: the answer may speak of all others. What stands in brackets
    only explains (점심시간(12:00~13:00)).
    """
    is_aside = source.start > source.claim.start
    limits = is_aside or _DIGIT.search(_BRACKETS.sub("", source.claim.text)) is not None
    return limits and _lacks_figures(statement.sentence, source.claim, source.start, source.end)


def _lacks_figures(own_claims: Iterable[Claim], claim: Claim, start: int, end: int) -> bool:
    """Tell whether some claims have none of the figures of a piece of another one."""
    its = _values(claim, start, end)
    own = {value for one in own_claims for value in _values(one, one.start, one.end)}
    return bool(its) and own.isdisjoint(its)


def _values(claim: Claim, start: int, end: int) -> set[object]:
    return {
        (one.measure.dimension, value)
        for one in claim.clause.figures
        for value in one.measure.values
        if start <= claim.offset + one.start < end
    }
