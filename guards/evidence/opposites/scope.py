"""Statements of an answer that are wider than the sources: for everybody, at any time.

A word that widens a statement (누구나, 관계없이, 승인 없이, 어떤 경우에도) has to have one in the
sources on the same subject. It is too much where they have none, but a limit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice

from guards.claims.reader import Claim, Modality
from guards.evidence.opposites.acts import CHARGED
from guards.evidence.opposites.contradiction import are_named_apart
from guards.evidence.opposites.exceptions import Widened, same_of_more
from guards.evidence.opposites.meaning import Match, SourceMeaning, covered
from guards.evidence.opposites.statements import Statement
from guards.korean.words import Word
from guards.lexicons.loading import Candidates, sections


class Kind(StrEnum):
    """Kind of widening by a word."""

    ASIDE = "aside"
    """It sets aside what stands before it."""
    WHICHEVER = "whichever"
    """It does not matter which it is of what stands before it."""
    ALONE = "alone"
    """It needs no more than what stands before it."""
    WITHOUT = "without"
    """It does without what stands before it."""
    ALL = "all"
    """It includes anybody, any time or all of something."""
    EQUAL = "equal"
    """It says the same of one more."""


_WIDENERS = {
    Kind(name): re.compile("|".join(patterns)) for name, patterns in sections("wideners").items()
}
_KINDS = tuple(_WIDENERS.items())
_MAY_WIDEN = Candidates(pattern.pattern for pattern in _WIDENERS.values())
_LIMITS = {
    name: re.compile("|".join(patterns))
    for name, patterns in sections("limits").items()
    if name != "measured"
}
_ANY_LIMIT = re.compile(f"{_LIMITS['only'].pattern}|{_LIMITS['any'].pattern}")
_ASKS_FOR = re.compile(f"{_LIMITS['need'].pattern}|{_LIMITS['condition'].pattern}")
_MEASURES = tuple(
    (tuple(names.split()), re.compile(limit))
    for names, _, limit in (line.partition(" | ") for line in sections("limits")["measured"])
)
# With these a source is as wide, though an answer that has them is not yet wider than it.
_AS_WIDE = re.compile(
    "|".join(_WIDENERS[kind].pattern for kind in (Kind.ASIDE, Kind.WHICHEVER, Kind.ALL, Kind.EQUAL))
    + r"|여부를|상시|연중|24시간|모두|전체|어떠?한 경우에도|각각|동일|일괄|무제한|중이라도|내에도"
)
_AS_EASY = re.compile(
    _WIDENERS[Kind.ALONE].pattern + r"|불필요|생략|면제|필요(?:하지|가|는)?\s?(?:없|않)|지\s?않아도"
)
# What need not be paid or feared is no condition: 추가 요금 없이, 문제없이, 지체 없이.
_NOTWITHSTANDING = re.compile(r"에도\s불구하고")
_NO_NEED = re.compile(
    r"(?:료|금|비|비용|세|불이익|지체|문제|걱정|부담|차이|사유|이상|차질|변동|관계|상관|제한|구애|구분"
    r"|감면|할인|혜택|지원|환급|환불|보상|적립)$"
)
_GENERIC = frozenset("서류 절차 조건 증빙 승인 신청 동의 확인".split())
_ALSO = re.compile(r"(?<=[가-힣])(?:도|에게도|에서도|까지)(?=\s)|더라도|[아어여]도(?=\s)")
_WIDEN_NOTHING = frozenset({Modality.DENIED, Modality.NOT_REQUIRED})
_NAMES_THING = frozenset({Kind.ASIDE, Kind.WHICHEVER, Kind.ALONE, Kind.WITHOUT})
_UNDER_A_LIMIT = frozenset({Kind.ALL, Kind.WHICHEVER, Kind.ASIDE})
_SWEEPING = frozenset("누구나 누구든 누구든지 언제든 언제든지 모든 어디서나".split())
_OF_SOMETHING = frozenset("여부 수 상황 상태 시기 시점 정도".split())
_SAY_NO_MORE = frozenset("필요 필수 제출".split())
_LOOKED_AT = 6
_CLOSE = 0.5
_MOST_OF_IT = 0.45
_NEARLY_AS_CLOSE = 0.85
_WORDS_ASIDE = 3
_ENDS_PHRASE = frozenset("은 는 이 가 을 를 도 에 에서 에는 에서는 께서".split())
_SET_ASIDE_WITHIN_CHARS = 12
_QUOTED_BEHIND_CHARS = 10
_SET_ASIDE_ALONE_CHARS = 24
# 가리지 않는다 says no more; 점수와 관계없이 지원 says it of the support.
_ENDS_SO = re.compile(r"(?<![이고며게])[가-힣]{0,4}[.)]?\s*")

# 신규 등록을 받지 않으며, 무비자, 맞벌이 또는 다자녀: what is no condition for all.
_NOT_HAD = re.compile(
    r"[은는이가을를]?\s?(?:(?:받|쓰|[가-힣]{0,2}하)지\s?않|대상이?\s?아[니님닌]|필요\s?없|없|않|불필요|생략|면제)"
)
_LACKS = ("무", "비", "미")
_ONE_OF_SEVERAL = re.compile(r"\s?(?:\([^()]*\))?(?:,|·|/|\s?또는|이나|나\s|거나)")
# 프리미엄점을 뺀 모든 지점: the answer takes something out itself.
_BUT_FOR = re.compile(r"(?:뺀|빼고|제외한|제외하고|제외|말고|말고는|외의?|이외의?)\s$")
_EITHER_ONE = re.compile(
    r"(?:어느|어떤)\s(?:쪽|것|편|하나)[가-힣]{0,3}(?:\s[가-힣]{1,6})?(?:도|든지?|나)$"
)
_ONE_OF_LISTED = re.compile(r"(?<![가-힣])(?<!어느 )(?<!어떤 )([가-힣]+?)(?:이든|든)(?=\s)")
_ENDS_IN_A_NOUN = re.compile(r"/(?:NN\w*|XSN|SSC)$")
# 10월이 아니어도: what need not be is a time or an amount, and no condition is done without.
_FIGURE = re.compile(r"\d[\d,.]*\s?[가-힣%]{0,3}(?:\s[가-힣]{1,2})?$")
# 사업자가 아니라면; 건강식품이 아니라 음료라면.
_IS_NOT = re.compile(r"(?<!만/JX )아니/VCN (?:\S+/EP )*(?:[^/\s]*면|라|고|거나)/E")
_IT = frozenset({"이", "가"})
# 위 기한과 관계없이: what the answer itself named before.
_REFERS_BACK = re.compile(r"(?<![가-힣])(?:위|이|그|앞의|해당)\s$")


def widened(
    statement: Statement,
    text: str,
    meaning: SourceMeaning,
    question: Mapping[str, float],
    least: float,
    before: Sequence[Claim] = (),
) -> Widened | None:
    """Return where a statement is wider than the sources; None if it is not.

    Args:
        statement: A statement of an answer.
        text: The plain text of the answer.
        meaning: The statements of the sources.
        question: The features of the question.
        least: Least share of the statement that a source statement has to have.
        before: The sentence before it in the answer.
    """
    is_forbidden = statement.modality is Modality.FORBIDDEN
    if not is_forbidden and any(act.side < 0 and act.name != CHARGED for act in statement.acts[:1]):
        # 모든 노선이 쉽니다 takes nothing more in.
        return None
    for word in _wideners(statement, text):
        if word.kind is Kind.EQUAL:
            return same_of_more(statement, meaning, question, (word.start, word.end), before)
        found = _wider_than(word, meaning, question, least)
        # 술은 어느 방이든 금지: the ban has no such limit in the sources either.
        is_same_ban = (
            is_forbidden
            and found is not None
            and bool(word.aside)
            and word.aside[-1].text
            not in meaning.text_of(found.source_statement.sentence, found.source_statement.source)
        )
        if found is not None and not is_same_ban:
            return found
    return None


def _wideners(statement: Statement, text: str) -> Iterator["_Widener"]:
    begin = min((one.start for one in statement.conditions), default=statement.start)
    begin = min(begin, statement.start)
    clause = text[begin : statement.end]
    widens = statement.modality not in _WIDEN_NOTHING
    for number in _MAY_WIDEN.of(clause):
        kind, pattern = _KINDS[number]
        if widens or kind is Kind.EQUAL:
            for match in pattern.finditer(clause):
                found = _Widener(kind, match, begin, statement)
                if kind is Kind.WHICHEVER and not _is_whichever(statement):
                    continue
                if found.counts and (kind is Kind.ALL or not statement.is_named):
                    yield found


_WHICHEVER = re.compile(r"(?<!\S)이?든지?/(?:EC|JX)|든지?/(?:EC|JX)")


def _is_whichever(statement: Statement) -> bool:
    """Tell whether a 든 of a statement is an ending or a particle (카드든), no verb (줄어든)."""
    return any(
        _WHICHEVER.search(one.clause.trail) for one in (*statement.conditions, statement.claim)
    )


class _Widener:
    """A word of an answer that widens a statement.

    Attributes:
        kind: What it does.
        text: The word.
        start: Where it begins in the plain text.
        end: Where it ends.
        clause: The text of the statement, with its conditions.
        statement: The statement.
        aside: The words right before it, nearest last.
        aside_start: Where the nearest of them begins.
    """

    def __init__(self, kind: Kind, match: re.Match[str], begin: int, statement: Statement) -> None:
        self.kind, self.text = kind, match[0]
        self.start, self.end = begin + match.start(), begin + match.end()
        self.clause, self.statement = match.string, statement
        self._to_its_end = match.string[: match.end()]
        self.aside: Sequence[Word] = ()
        self.aside_start = self.start
        for claim in (*statement.conditions, statement.claim):
            shift = claim.start - claim.clause.start
            if claim.start <= self.start <= claim.end:
                before = [word for word in claim.clause.words if word.end + shift <= self.start]
                self.aside = _phrase(before[-_WORDS_ASIDE:])
                self.aside_start = before[-1].start + shift if before else self.start

    @property
    def counts(self) -> bool:
        """True if it widens its clause at all."""
        is_against = self.statement.modality is Modality.FORBIDDEN
        if self.kind is Kind.WITHOUT:
            has_object = bool(self.aside) and not _NO_NEED.search(self.aside[-1].text)
            has_object = has_object and not _FIGURE.search(self._to_its_end[: -len(self.text)])
            return has_object and not is_against and not self._is_only_a_condition
        if (self.kind is Kind.ASIDE and self._is_only_so) or self._is_of_those_named:
            return False
        if self.kind is Kind.ALL and _BUT_FOR.search(self._to_its_end[: -len(self.text)]):
            return False
        if self.kind in {Kind.ASIDE, Kind.WHICHEVER, Kind.ALONE}:
            return not is_against
        return self.kind is not Kind.EQUAL or _ALSO.search(self.clause) is not None

    @property
    def _is_of_those_named(self) -> bool:
        """True for 어느 쪽이든, 어느 쪽을 고르시든: no more is taken in than the answer named."""
        return _EITHER_ONE.search(self._to_its_end) is not None

    @property
    def _is_only_so(self) -> bool:
        """True for 종목 수와 상관없이 한 번만 붙습니다, which takes no more in."""
        behind = self.clause.find(self.text) + len(self.text)
        return _LIMITS["only"].search(self.clause, behind) is not None

    @property
    def _is_only_a_condition(self) -> bool:
        """True for 승인 없이 사용하면, which needs no more than the answer says (만 내면)."""
        return _WIDENERS[Kind.ALONE].search(self.clause) is None and any(
            one.start <= self.start < one.end
            for one in self.statement.conditions
            if one.clause.is_condition
        )

    @property
    def named(self) -> Sequence[Word]:
        """The words that name what is set aside: 목적, and both of 객실 상황."""
        last = self.aside[-1:]
        return self.aside[-2:] if last and last[0].text in _OF_SOMETHING else last

    @property
    def taken(self) -> set[str]:
        """The features of what is set aside, or of the noun that all of it is about (모든 차종)."""
        claim = self.statement.claim
        shift = claim.start - claim.clause.start
        behind = [one for one in claim.clause.words if one.start + shift >= self.end]
        next_to_it = behind[:1] if behind and behind[0].start + shift <= self.end + 1 else []
        # 전국 어디서나: the noun before a word that takes all in goes with it.
        before = self.aside if self.kind in _NAMES_THING else self.aside[-1:]
        if self.kind not in _NAMES_THING and any(one.particle for one in before):
            before = ()
        return {feature for one in (*before, *next_to_it) for feature in one.features}


def _phrase(words: Sequence[Word]) -> Sequence[Word]:
    """Return the last noun phrase of some words: what is set aside, without what it is about."""
    first = len(words) - 1
    while first > 0 and words[first - 1].particle not in _ENDS_PHRASE:
        first -= 1
    return words[max(first, 0) :]


_DOES_WITHOUT = frozenset({Kind.WITHOUT, Kind.ALONE})


def _wider_than(
    word: _Widener, meaning: SourceMeaning, question: Mapping[str, float], least: float
) -> Widened | None:
    """Hold a widening word against the source statements about the same."""
    found = _limit_about(word, meaning, question, least) or _limit_left_out(word, meaning, question)
    if found is None:
        return None
    match, text = found
    return Widened(
        word.aside_start if word.kind in _NAMES_THING else word.start,
        word.end,
        match.source_statement,
        match.share,
        text,
        takes_in_more=word.kind not in _DOES_WITHOUT,
        # A source may well say 모든 of something else.
        quote_end=word.end + (_QUOTED_BEHIND_CHARS if word.text in _SWEEPING else 0),
    )


_Limit = tuple[Match, str]


def _limit_about(
    word: _Widener, meaning: SourceMeaning, question: Mapping[str, float], least: float
) -> _Limit | None:
    """Return a limit of the source statements that speak of the same and of little more."""
    about = _of_the_case(meaning.about(word.statement, question))
    if not about or about[0].share < least:
        return None
    closest = [one for one in about if one.share >= about[0].share * _CLOSE]
    if any(_is_as_wide(word, one, meaning) for one in closest):
        return None
    return next(
        (
            (one, text)
            for one in islice(closest, _LOOKED_AT)
            if not _is_beside(about[0], one)
            for text in _texts(word, one, meaning)
            if _is_narrower(word, one, text)
        ),
        None,
    )


def _is_beside(closest: Match, match: Match) -> bool:
    """Tell whether a source statement stands beside a closer one, as another item of its list."""
    source, best = match.source_statement, closest.source_statement
    if match.share >= closest.share or source.sentence != best.sentence:
        return False
    return all(_ENDS_IN_A_NOUN.search(one.claim.clause.trail) for one in (source, best))


def _limit_left_out(
    word: _Widener, meaning: SourceMeaning, question: Mapping[str, float]
) -> _Limit | None:
    """Return a limit of the source statements that say most of the same, and perhaps much more."""
    if word.kind not in _UNDER_A_LIMIT:
        return None
    near = _of_the_case(meaning.holding(word.statement, question, word.taken))
    if not near or near[0].share < _MOST_OF_IT:
        return None
    closest = [one for one in near if one.share >= near[0].share * _NEARLY_AS_CLOSE]
    if any(_is_as_wide(word, one, meaning) for one in closest):
        return None
    for one in closest:
        text = _said(word, one.source_statement, meaning)
        if _LIMITS["only"].search(text) and (
            _is_decided_by(word, text) if word.kind is Kind.ASIDE else _is_narrower(word, one, text)
        ):
            return one, text
    return None


def _of_the_case(matches: Sequence[Match]) -> list[Match]:
    """Return the matches with no heading, and with a source statement of the same case."""
    return [
        one
        for one in matches
        if not one.source_statement.claim.block.is_heading and not _is_other_case(one)
    ]


def _is_other_case(match: Match) -> bool:
    """Tell whether a source speaks of others: of 1급 and not 4급, or of what it is not."""
    own, source = match.statement, match.source_statement
    own_case, its_case = (one.sentence[: one.claim.position + 1] for one in (own, source))
    return are_named_apart(own_case, its_case) or any(
        _IS_NOT.search(one.clause.trail)
        and any(covered(word, source.around) for word in one.clause.words if word.particle in _IT)
        for one in own.conditions
    )


def _is_as_wide(word: _Widener, match: Match, meaning: SourceMeaning) -> bool:
    """Tell whether a source statement is without limit, too."""
    if word.kind is Kind.ALONE and _needs_no_more(word, match):
        return True
    if word.kind is Kind.ASIDE and _overrides(match, word, meaning):
        return True
    if word.kind in {Kind.ASIDE, Kind.WHICHEVER} and _is_widened_behind(match, meaning):
        return True
    return any(_is_wide(word, text) for text in _texts(word, match, meaning))


def _is_widened_behind(match: Match, meaning: SourceMeaning) -> bool:
    """Tell whether the sentence behind a source's sets cases aside (용도를 가리지 않는다)."""
    claim = match.source_statement.claim
    sentences = meaning.readings[match.source_statement.source].sentences
    behind = sentences[claim.sentence + 1 : claim.sentence + 2]
    return any(
        len(one) == 1
        and one[0].block is claim.block
        and (aside := _WIDENERS[Kind.ASIDE].search(one[0].text)) is not None
        and not _LIMITS["only"].search(one[0].text)
        and aside.start() <= _SET_ASIDE_ALONE_CHARS
        and _ENDS_SO.fullmatch(one[0].text, aside.end()) is not None
        for one in behind
    )


def _overrides(match: Match, word: _Widener, meaning: SourceMeaning) -> bool:
    """Tell whether a source gives a case its own rule, whatever it says of others.

    제1항에도 불구하고 거절된 경우 40%를 환불한다: 거절된 경우에는 단계와 상관없이 40%.
    """
    source = match.source_statement
    told = source.sentence[: source.claim.position]
    if not any(_NOTWITHSTANDING.search(one.text) for one in told):
        return False
    before = meaning.readings[source.source].page.plain[: source.claim.start]
    return (
        bool(word.aside)
        and word.aside[-1].text in before
        and meaning.held(source.given, match.statement.around) >= _CLOSE
    )


def _is_wide(word: _Widener, text: str) -> bool:
    if word.kind not in {Kind.ALONE, Kind.WITHOUT}:
        return _AS_WIDE.search(text) is not None
    return (
        _AS_EASY.search(text) is not None
        or (word.kind is Kind.WITHOUT and _sets_aside(word.aside[-1], text))
        or (word.kind is Kind.WITHOUT and _is_not_had(word.aside[-1], text))
        or any(
            not _NO_NEED.search(text[: match.start()].rstrip())
            for match in _WIDENERS[Kind.WITHOUT].finditer(text)
        )
    )


def _sets_aside(word: Word, text: str) -> bool:
    """Tell whether a sentence of a source sets something aside itself (앨범 신청과 관계없이)."""
    return any(
        simple in text[max(0, one.start() - _SET_ASIDE_WITHIN_CHARS) : one.start()]
        for one in _WIDENERS[Kind.ASIDE].finditer(text)
        for simple in (word.text, *word.features)
    )


def _is_not_had(word: Word, text: str) -> bool:
    """Tell whether a sentence of a source denies something that it names (승인 대상이 아니다)."""
    at = text.find(word.text)
    return at >= 0 and _NOT_HAD.match(text, at + len(word.text)) is not None


def _needs_no_more(word: _Widener, match: Match) -> bool:
    """Tell whether a clause of a source asks for just what the answer does."""
    source = match.source_statement
    text = " ".join(one.text for one in (*source.conditions, source.claim))
    return (
        _LIMITS["need"].search(text) is not None
        and bool(word.aside)
        and word.aside[-1].text in text
        and all(need in word.clause for need in _needs(word, text) - _SAY_NO_MORE)
    )


def _needs(word: _Widener, text: str) -> set[str]:
    """Return the words with which a text asks for more than what a widening word names.

    It does not ask for what it denies (승인 대상이 아니나 신고하여야 한다: 신고만 하면).
    """
    named = word.aside[-1].text if word.aside else ""
    return {
        need[0]
        for need in _LIMITS["need"].finditer(text)
        if not _NOT_HAD.match(text, need.end())
        and not (named and need[0].endswith("야") and text[: need.start()].endswith(named + "하"))
        and not (named and need[0].endswith("야") and text[: need.start()].endswith(named))
    }


def _is_narrower(word: _Widener, match: Match, text: str) -> bool:
    """Tell whether a sentence of a source has a limit that a widening word does without."""
    if word.kind is Kind.ALONE:
        return any(need not in word.clause for need in _needs(word, text))
    if word.kind is Kind.WITHOUT:
        return _is_needed(word.aside[-1], match, text)
    if word.kind is Kind.ASIDE and (_denies_of(word.aside, text) or not _is_decided_by(word, text)):
        return False
    listed = _ONE_OF_LISTED.findall(word.clause) if word.kind is Kind.WHICHEVER else ()
    if len(listed) > 1 and all(one in text for one in listed):
        return False
    limits = [found[0] for found in _ANY_LIMIT.finditer(text)]
    if limits and all(limit.endswith("만") for limit in limits):
        return not _names_the_limit(match)
    return bool(limits)


def _names_the_limit(match: Match) -> bool:
    """Tell whether an answer says that it speaks of those to whom a source is limited.

    입주민만: 입주민이라면 누구나. Not so 교육을 마친 회원만: 회원이라면 누구나.
    """
    around = match.statement.around
    words = match.source_statement.claim.clause.words
    for one in match.source_statement.only:
        at = words.index(one) if one in words else 0
        before = [near for near in words[max(0, at - 1) : at] if near.is_verb and not near.is_light]
        if not all(covered(near, around) for near in (one, *before)):
            return False
    return bool(match.source_statement.only)


def _is_needed(word: Word, match: Match, text: str) -> bool:
    """Tell whether a sentence of a source asks for something, alone and not as one of several."""
    if word.text in _GENERIC:
        return _LIMITS["paper"].search(text) is not None
    own = {
        feature: 1.0
        for one in match.source_statement.sentence
        for near in one.clause.words
        for feature in near.features
    }
    if not covered(word, own) or not _ASKS_FOR.search(text):
        return False
    at = text.find(word.text)
    behind = at + len(word.text)
    return at < 0 or not (
        _NOT_HAD.match(text, behind)
        or text[:at].endswith(_LACKS)
        or _ONE_OF_SEVERAL.match(text, behind)
    )


def _is_decided_by(word: _Widener, text: str) -> bool:
    """Tell whether what is set aside is what a sentence of a source is limited by.

    It names it, includes no more than it names, or has a limit of that kind: 나이와 관계없이 and
    25세 미만.
    """
    aside = word.aside
    if not aside or _REFERS_BACK.search(word.clause[: word.clause.find(aside[-1].text)]):
        return False
    if _LIMITS["only"].search(text) or any(one.text in text for one in aside if not one.is_light):
        return True
    return any(aside[-1].text.endswith(names) and limit.search(text) for names, limit in _MEASURES)


def _denies_of(aside: Sequence[Word], text: str) -> bool:
    """Tell whether a source says itself that what is set aside makes no difference.

    등급 추가 적립은 하지 않음: 등급과 관계없이.
    """
    at = text.find(aside[-1].text) if aside else -1
    return at >= 0 and re.search(r"않|없", text[at:]) is not None


def _said(word: _Widener, source: Statement, meaning: SourceMeaning) -> str:
    """Return the text of a source statement in which its limit has to stand.

    What it asks for may be told in the clauses before it (등록하고 승인을 받아야 한다); how far it
    goes is told in its own and in its conditions.
    """
    own = (*source.conditions, source.claim)
    return meaning.text_of(own if word.kind in _UNDER_A_LIMIT else source.sentence, source.source)


def _texts(word: _Widener, match: Match, meaning: SourceMeaning) -> Iterator[str]:
    """Yield the text of a source statement, and the exception behind it."""
    yield _said(word, match.source_statement, meaning)
    if exception := meaning.exception_behind(match.source_statement):
        yield meaning.text_of(exception, match.source_statement.source)
