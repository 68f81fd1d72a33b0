"""Statements: what a clause says, of whom, under which condition, and whether it says or denies it.

A clause makes a statement, and so does what stands in brackets behind it (식비 8,000원(급식 제공 시
미지급)). The members of a list before the predicate, and a label that says something (보장하지 않는
사항: …), belong to the statement.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple

from guards.claims.reader import Claim, Modality, label_words
from guards.core.keeping import lazy
from guards.evidence.opposites.acts import (
    CHARGED,
    UNLESS,
    Act,
    act_of,
    is_cause,
    more_acts,
    turned,
    turns_of,
)
from guards.evidence.opposites.pieces import (
    AGAINST,
    NAMED,
    PREDICATE,
    Piece,
    SaidByLabel,
    excluded_in,
    label_of,
    label_said,
    left_out_of,
    pieces_of,
    telling,
)
from guards.korean.words import Word
from guards.lexicons.loading import words

SAME_SENTENCE, LATER, SENTENCE_BEFORE, TITLE = 0.6, 0.3, 0.4, 0.8
CONDITION, CONCESSION, HOST, CARRIED, SUBJECT = 0.8, 0.5, 0.7, 0.8, 0.6

# 쉰다고 해서, 들어 있다고 보고: it is only supposed.
_SAID = re.compile(
    r"다고/EC (?:하/V\S+ (?:아서|여서|어서)|(?:보|치)/V\S+ (?:고|면)"
    r"|가정/NNG 하/XS\S+ (?:고|면))/EC$"
)
_WITHOUT = re.compile(r"없이/MAG")
_PAYS_BEHIND = re.compile(r"어/EC 내/VX ")
_ALIKE = re.compile(r"지/EC 도/JX .*지/EC 도/JX (?:않|못하)/")
_DO_NOT = re.compile(r"지/EC (?:\S+/J\S+ )?마시/VV")
_TOPIC_MARKS = frozenset({"은", "는"})
_SUBJECT = _TOPIC_MARKS | {"이", "가", "도"}
_ALLOWING = frozenset({Modality.PERMITTED, Modality.FACT})
_EITHER = re.compile(r"(?:거나|든지|든)/EC$")
_LISTED = re.compile(r"\s*(?:[,·/ㆍ]|(?:와|과|나|이나|및|또는|이며|등)\s)\s*")
_LISTING = frozenset(",·/ㆍ와과나및또며등")
# 제3조제1항, 「근로기준법」: where a rule stands, not what it is about.
_PROVISION = re.compile(r"「[^」\n]{1,60}」|제\d+[조항호](?:의\d+)?|각 호")
_CASES = frozenset("시 때 경우".split())
# 월요일만 빼고 운영합니다, 금요일은 제외하고 됩니다.
_LEFT_OUT = re.compile(r"(?:빼/VV|제외/NNG 하/XSV) 고/EC$")


# 두 해 연속 참가하면서 한 번 이상 완주하신 분은: the first clause only describes the people, too.
_LEADS_ON = re.compile(r"(?:(으?면서)|고|으?며|[아어여]서|거나)/EC$")
_FIRST_DESCRIBES = re.compile(
    r"(?:\S+/(?!V|XS[VA])\S+ )*\S+/(?:VV|VA|XSV|XSA)(?: \S+/EP)* (?:ㄴ|은|는|던)/ETM "
    r"(?!(?:것|거|경우|때|데|후|뒤|다음|채|만큼|대로)/)(?:\S+/N\w+ )*"
    r"(\S+)/(?:NN\w|XSN) (?:들/XSN )?(?:은|는|이|가|만|에게|께|도)/J"
)
_PEOPLE = words("people") | frozenset("분 자 고객 회원 환자 직원 이용자 신청자 가입자".split())


class Part(NamedTuple):
    """Words that tell what a statement is about, any alternative of which does.

    Attributes:
        alternatives: The members of a list, or the one word.
        weight: How much it counts.
    """

    alternatives: tuple[tuple[Word, ...], ...]
    weight: float


class _Clause(NamedTuple):
    """What a statement is read from."""

    piece: Piece
    host: Piece | None
    listed: tuple[Claim, ...]
    before: Sequence[Claim]
    title: tuple[Word, ...]


class _Fields(NamedTuple):
    claim: Claim
    sentence: tuple[Claim, ...]
    start: int
    end: int
    acts: tuple[Act, ...]
    modality: Modality
    parts: tuple[Part, ...]
    turns: frozenset[str]
    excluded: tuple[Word, ...]
    conditions: tuple[Claim, ...]
    is_named: bool
    has_predicate: bool
    read_from: _Clause
    source: int = -1


class Statement(_Fields):
    """The statement of a clause.

    Attributes:
        claim: The clause.
        sentence: The clauses of its sentence.
        start: Where it begins in the plain text, with the members of its list.
        end: Where it ends.
        acts: What it says; the predicate first.
        modality: How it is meant.
        parts: What it says it of, and the words for the acts.
        turns: What may turn it into its opposite (unless, more, less).
        excluded: The words that brackets take out of it (열람실 제외).
        conditions: The clauses that name its conditions and concessions.
        is_named: Whether it only names what it speaks of, without a predicate.
        has_predicate: Whether it has a verb, an adjective or a copula.
        read_from: What the rest is read from when it is asked for: most statements of sources are
            never compared so closely.
        source: Number of its source; -1 for answers and questions.
    """

    @lazy
    def around(self) -> Mapping[str, float]:
        """The features near it and how much each weighs."""
        piece, host, listed, before, title = self.read_from
        found: dict[str, float] = {}
        _add(found, title, TITLE)
        for one in before:
            _add(found, one.clause.words, SENTENCE_BEFORE)
        for one in self.sentence:
            weight = SAME_SENTENCE if one.position < self.claim.position else LATER
            _add(found, one.clause.words, weight)
        for _, label in self.claim.labels:
            _add(found, label, 1.0)
        for one in (*listed, *self.conditions):
            _add(found, one.clause.words, 1.0)
        _add(found, (*piece.words, *piece.given, *(host.words if host else ())), 1.0)
        return found

    @lazy
    def topic(self) -> tuple[tuple[Word, ...], ...]:
        """The words of its topic (당일 취소는); each member of a list by itself."""
        return _topic(self.claim, self.read_from.piece)

    @lazy
    def given(self) -> tuple[Word, ...]:
        """The words of its condition."""
        return tuple(_given(self.read_from.piece, self.conditions))

    @lazy
    def only(self) -> tuple[Word, ...]:
        """The words to which it is limited (회원만)."""
        return _only(self.claim, self.read_from.piece)


def statements_of(sentences: Sequence[Sequence[Claim]], title: str = "") -> Iterator[Statement]:
    """Yield the statements of a text, in order.

    Args:
        sentences: Its sentences.
        title: The heading of the source; empty for answers.
    """
    before: Sequence[Claim] = ()
    for sentence in sentences:
        yield from statements_in(sentence, before, title)
        before = sentence


def statements_in(
    sentence: Sequence[Claim], before: Sequence[Claim], title: str = ""
) -> Iterator[Statement]:
    """Yield the statements of a sentence; the one before it in its block may name the subject."""
    near = before if before and before[0].block is sentence[0].block else ()
    yield from _Sentence(sentence, near, title).statements()


def _is_of_a_description(claim: Claim, behind: Claim | None) -> bool:
    """Tell whether a clause belongs to the description with which the next one begins."""
    leads_on = _LEADS_ON.search(claim.clause.trail)
    if leads_on is None or behind is None or claim.position:
        return False
    if any(word.particle in _SUBJECT for word in claim.clause.words):
        return False
    described = _FIRST_DESCRIBES.match(behind.clause.trail)
    return described is not None and (leads_on[1] is not None or described[1] in _PEOPLE)


class _Sentence:
    """Reads the statements of a sentence."""

    def __init__(self, sentence: Sequence[Claim], before: Sequence[Claim], title: str) -> None:
        self._sentence = tuple(sentence)
        self._before = before
        self._title = label_words(title) if title else ()
        self._listed: list[Claim] = []
        self._conditions: list[Claim] = []

    def statements(self) -> Iterator[Statement]:
        """Yield them, in order."""
        label: SaidByLabel | None = None
        for claim, behind in zip_longest(self._sentence, self._sentence[1:]):
            clause = claim.clause
            if (
                clause.is_condition
                or clause.is_concession
                or _SAID.search(clause.trail)
                or _is_of_a_description(claim, behind)
            ):
                self._conditions.append(claim)
                continue
            if named := NAMED.match(claim.text):
                label = label_said(named[0])
            yield from self._of_clause(claim, label or label_of(claim))

    def _of_clause(self, claim: Claim, label: SaidByLabel | None) -> Iterator[Statement]:
        main, *brackets = pieces_of(claim)
        is_named = not main.says and label is None
        is_alternative = _EITHER.search(claim.clause.trail) is not None
        if not is_alternative and main.words:
            excluded = (*excluded_in(brackets), *left_out_of(main), *self._left_out(claim))
            found = self._statement(claim, main, label, excluded=excluded, is_named=is_named)
            yield found
            if _WITHOUT.search(main.trail) and found.modality in _ALLOWING:
                # 소개장 없이 예약할 수 있다: it is not needed.
                turns = found.turns ^ {UNLESS}
                free = Modality.NOT_REQUIRED
                yield found._replace(acts=(), modality=free, turns=turns)
        for piece in brackets:
            if piece.says:
                yield self._statement(claim, piece, None, host=main)
        if is_named or is_alternative:
            # 쿠폰은 첫 회차에만, 적립금은 쓸 수 없다: the first says something of its own.
            if is_alternative or not _only(claim, main) or not _topic(claim, main):
                self._listed.append(claim)
            return
        self._listed = []
        if PREDICATE.search(claim.clause.trail):
            self._conditions = []

    def _statement(
        self,
        claim: Claim,
        piece: Piece,
        label: SaidByLabel | None,
        host: Piece | None = None,
        excluded: tuple[Word, ...] = (),
        *,
        is_named: bool = False,
    ) -> Statement:
        listed = [] if host or is_named else self._listed
        acts, modality = _acts(piece, label)
        parts = [*_parts(claim, piece, listed, excluded)]
        if host:
            parts += [_part(word, HOST) for word in telling(host.words)]
        if piece.given:
            parts += [_part(word, CONDITION) for word in telling(piece.given)]
        if claim.position:
            parts += [_part(word, SUBJECT) for word in self._subject(claim, piece)]
        turns = turns_of(piece.trail)
        for one in self._conditions:
            weight = CONCESSION if one.clause.is_concession else CONDITION
            parts += [_part(word, weight) for word in telling(one.clause.words)]
            turns ^= turns_of(one.clause.trail)
        return Statement(
            claim=claim,
            sentence=self._sentence,
            start=listed[0].start if listed else piece.start,
            end=piece.end,
            acts=acts,
            modality=modality,
            parts=tuple(parts) if _names(parts, acts) else (*parts, *self._carried(claim)),
            turns=turns,
            excluded=excluded,
            conditions=tuple(self._conditions),
            is_named=is_named,
            has_predicate=PREDICATE.search(piece.trail) is not None,
            read_from=_Clause(piece, host, tuple(self._listed), self._before, self._title),
        )

    def _left_out(self, claim: Claim) -> Iterator[Word]:
        """Yield the word that the clause right before takes out (월요일만 빼고)."""
        if claim.position:
            before = self._sentence[claim.position - 1].clause
            if _LEFT_OUT.search(before.trail):
                marked = (word for word in reversed(before.words) if word.particle)
                yield from islice(marked, 1)

    def _subject(self, claim: Claim, piece: Piece) -> Iterator[Word]:
        """Yield the topic of a clause before, for a clause without a subject of its own."""
        if any(word.particle in _SUBJECT for word in piece.words if not word.is_light):
            return
        for one in reversed(self._sentence[: claim.position]):
            words = one.clause.words
            for at, word in enumerate(words):
                if word.particle in _TOPIC_MARKS:
                    low = max((n + 1 for n in range(at) if words[n].particle), default=0)
                    yield from telling(words[low : at + 1])
                    return

    def _carried(self, claim: Claim) -> Iterator[Part]:
        """Yield what was just spoken of, for a clause that does not name it (포함됩니다)."""
        near = [
            word
            for one in self._sentence
            if one.position < claim.position
            for word in one.clause.words
        ]
        label = claim.labels[-1][1] if claim.labels else ()
        before = [word for one in self._before for word in one.clause.words]
        for word in telling(near or label or before):
            yield _part(word, CARRIED)


def _given(piece: Piece, conditions: Iterable[Claim]) -> Iterator[Word]:
    for one in conditions:
        if not one.clause.is_concession:
            yield from telling(one.clause.words)
    yield from telling(piece.given)
    cases = (
        at
        for at, word in enumerate(piece.words)
        if word.text in _CASES and not word.particle.endswith("도")
    )
    yield from telling(piece.words[: max(cases, default=0)])


_ONLY = re.compile(r"(?:에서|에게|께|으로|로|에|까지)?만(?![가-힣])|(?:에서|에게)만(?=[은의])")


def _only(claim: Claim, piece: Piece) -> tuple[Word, ...]:
    """Return the words to which a clause is limited (회원만, 본점에서만)."""
    if "만" not in claim.text:
        return ()
    begin = claim.clause.start
    return tuple(
        word
        for word in piece.words
        if word.particle == "만" or _ONLY.match(claim.text, word.end - begin)
    )


def _names(parts: Iterable[Part], acts: Sequence[Act]) -> bool:
    """Tell whether some parts name more than the acts themselves."""
    own = {id(act.word) for act in acts}
    return any(
        id(word) not in own for part in parts for members in part.alternatives for word in members
    )


def is_against(statement: Statement) -> bool:
    """Tell whether a statement denies or forbids."""
    return statement.modality in AGAINST


def _add(found: dict[str, float], words: Iterable[Word], weight: float) -> None:
    for word in words:
        for feature in word.features:
            if weight > found.get(feature, 0.0):
                found[feature] = weight


def _part(word: Word, weight: float) -> Part:
    return Part(((word,),), weight)


def _acts(piece: Piece, label: SaidByLabel | None) -> tuple[tuple[Act, ...], Modality]:
    if label is not None and not piece.says:
        return (label[0],), label[1]
    by = -1 if piece.modality in AGAINST else 1
    words = piece.words
    if _DO_NOT.search(piece.trail):
        # 넣지 마십시오 is read as of 마시다.
        words = tuple(word for word in words if word.text != "마시")
    if "중/NNB" in piece.trail:
        # 정지 중에도 청구됩니다: it tells when, unless it is what the clause says (공사 중이다).
        words = tuple(
            word
            for word in words
            if not re.search(rf"{re.escape(word.text)}/\S+ 중/NNB (?!이/VCP)", piece.trail)
        )
    main = act_of(words)
    # 면제되어 내지 않습니다: 내다 is read as an auxiliary, and what is denied is paying.
    is_paid = main is not None and main.name == CHARGED and _PAYS_BEHIND.search(piece.trail)
    own = 1 if is_paid or (main is not None and is_cause(main)) else by
    found = [turned(main, own)] if main else []
    # 중단되어 뵐 수 없습니다: what leads to the predicate of a clause is not denied with it.
    found += [
        turned(act, by)
        for act in more_acts(words, piece.trail, main)
        if by > 0 or act.word is None or not act.word.is_verb or _ALIKE.search(piece.trail)
    ]
    return tuple(found), piece.modality


_TOPIC = re.compile(r"(?:에|에서|에게|께|로|으로)?(?:은|는)(?![가-힣])")


def _topic(claim: Claim, piece: Piece) -> tuple[tuple[Word, ...], ...]:
    """Return the words of the topic of a clause (당일 취소는), each member of a list by itself."""
    words = piece.words
    if "은" not in claim.text and "는" not in claim.text:
        return ()
    for at, word in enumerate(words):
        if word.is_light or not _TOPIC.match(claim.text, word.end - claim.clause.start):
            continue
        members: list[list[Word]] = [[word]]
        for before, behind in zip(reversed(words[:at]), reversed(words[1 : at + 1]), strict=True):
            if _is_listed(claim, before, behind):
                members.append([before])
            elif before.particle or before.end + 1 < behind.start:
                break
            else:
                members[-1].insert(0, before)
        return tuple(tuple(telling(one)) for one in members)
    return ()


def _is_listed(claim: Claim, one: Word, follows: Word) -> bool:
    """Tell whether two words are members of a list."""
    begin = claim.clause.start
    between = claim.text[one.end - begin : follows.start - begin]
    # Most words have a blank and perhaps another particle between them.
    return not _LISTING.isdisjoint(between) and _LISTED.fullmatch(between) is not None


def _parts(
    claim: Claim, piece: Piece, listed: Sequence[Claim], excluded: Collection[Word]
) -> Iterator[Part]:
    """Yield what a clause says its act of; the members of its list are one part."""
    provisions = [
        (claim.clause.start + match.start(), claim.clause.start + match.end())
        for match in _PROVISION.finditer(claim.text)
    ]
    rest = telling(piece.words)
    if excluded or provisions:
        rest = [
            word
            for word in rest
            if word not in excluded
            and not any(low < word.end and word.start < high for low, high in provisions)
        ]
    members = [tuple(telling(one.clause.words)) for one in listed]
    members = [one for one in members if one]
    if members:
        last = next((at for at, word in enumerate(rest) if word.particle), len(rest) - 1)
        members.append(tuple(rest[: last + 1]))
        rest = rest[last + 1 :]
        yield Part(tuple(one for one in members if one), 1.0)
    group: list[tuple[Word, ...]] = []
    for at, word in enumerate(rest):
        group.append((word,))
        if at + 1 < len(rest) and _is_listed(claim, word, rest[at + 1]):
            continue
        yield Part(tuple(group), 1.0)
        group = []
