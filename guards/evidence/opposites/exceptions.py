"""Exceptions of the sources that an answer sets aside.

A statement includes what a source excludes (음식점업 제외 -> 음식점업도 됩니다), says the same of
something that has a rule of its own (관리자 계정도 같은 방법으로), or says that a case makes no
difference in which a source says the opposite (급식이 제공되더라도 지급됩니다).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from guards.claims.reader import Claim, Modality
from guards.evidence.opposites.acts import CHARGED, COUNTED, opposites
from guards.evidence.opposites.meaning import SourceMeaning, covered, relation
from guards.evidence.opposites.pieces import AGAINST, telling
from guards.evidence.opposites.statements import LATER, Statement, is_against
from guards.evidence.opposites.valence import is_carrier, main_act
from guards.korean.words import Word, canonical
from guards.lexicons.loading import sections

_QUOTE = "['’\"”)]*"
_ADDS = re.compile(
    rf"{_QUOTE}(?:에|에서|에게|께|으?로)?(?:도|까지)(?![가-힣])|까지도|이?라도|이?시?더라도|이?(?:셔|여|어)도"
    rf"|{_QUOTE}[을를]?\s?포함(?:해|하여|한|된|(?=[\s)]|$))|[은는]\s물론"
)
_ADDING = ("도", "까지", "포함", "물론")
_SAME = re.compile("|".join(sections("wideners")["equal"]))
_LIMITS = {name: "|".join(patterns) for name, patterns in sections("limits").items()}
_ONLY = _LIMITS["only"]
_OUT = f"(?:{_LIMITS['out']})"
# 음식점업·유흥업 제외; 계단참에는 잠시라도 둘 수 없다; 거짓 신고를 한 경우에는 그러하지 아니하다.
_TAKEN_OUT = re.compile(
    rf"{_QUOTE}(?:\([^()]*\))?(?:(?:\s?[·,/ㆍ]\s?|[와과]\s|이?나\s|\s및\s)[^·,/ㆍ()]{{1,14}}?){{0,4}}"
    rf"(?:(?:은|는|이|가|도|을|를)?\s?{_OUT}|(?:에|에서|에게)?(?:은|는|도)\s[^,.;:]{{0,16}}?{_OUT}"
    r"|(?:[을를이가]|으?로)?\s(?:[가-힣]{1,6}\s){0,2}(?:경우|때|기간|사람|분|자)(?:에는|에게는|은|는)?\s"
    rf"[^,.;:]{{0,16}}?{_OUT})"
)
_SAYS_OUT = re.compile(f"{_OUT}|[않없]는")
_LABEL_OF_THE_EXCLUDED = re.compile(
    r"(?:제외|불가|금지|미포함|않는\s[가-힣]{1,8}|없는\s[가-힣]{1,8})"
    r"(?:\s?(?:대상|항목|사항|품목|경우))?\s?[:：]?\s*$"
)
_ENDS_IN_A_NOUN = re.compile(r"/(?:NN\w*|XSN|SL|SSC)$")
_OWN_RULE = re.compile(f"{_ONLY}|{_LIMITS['own rule']}")
# 아래 세 가지 중 하나만 갖추면; 모두 갖춘 경우에; 어느 하나를 갖추면.
_ONE_IS_ENOUGH = re.compile(r"(?:중|가운데)(?:에서)?\s(?:어느\s)?하나만(?=\s)")
_ALL_OF_THEM = re.compile(r"모두|둘\s다|전부|빠짐없이")
_ANY_OF_THEM = re.compile(r"하나|한\s가지|1가지|1개")
_UNDER_A_LIMIT = re.compile(f"{_ONLY}|[아어여해]야")
_BUT = re.compile(r"\s*(?:다만|단|※)(?=[,\s])")
_SOURCE_SAYS_THE_SAME = re.compile(
    r"도\s(?:같|동일|똑같|포함|마찬가지)|동일하게|똑같이|그대로|에도|모두|포함"
)
_ANSWER_TAKES_OUT = re.compile(
    r"만(?=\s|[은이])|제외|불가|않|없|안\s|못|한해|한정|외에|빼|말고|아니|금[하지]|막[고는습]|다[르릅]|달라"
)
# 끄지 말고 그대로 두세요.
_FORBIDS_FIRST = re.compile(r"지/EC (?:\S+/J\S+ )?(?:말|않)/V\S (?:고|아|어)/EC")
_MODIFIES = re.compile(r"/ETM$")
_WHEN = re.compile(r"(?:\s?(?:기간|시간|때))?\s?(?:에는|에|에서|동안|중에?)(?=\s)")
_NOT_MEANT = re.compile(r"해당하지\s않|해당되지\s않|해당\s?없|대상이\s아니|그러하지\s아니")
_LISTED_BEFORE = re.compile(r"([가-힣]+)\s?[·,/]\s?$")
_LISTED_BEHIND = re.compile(r"\s?[·,/]\s?([가-힣]+)")
_ADNOMINAL = re.compile(r"[가-힣]{0,3}[는은한된인던할될운린른]\s")
# Nouns that only frame a case: 취업 때문에 그만두는 경우.
_FRAMES = frozenset("경우 기간 때 분 것 건 사람".split())
_WORDS_OF_A_CASE = 3
_NAMED = 0.8
_HALF = 0.5
_SPOKEN_OF = 0.3


@dataclass(frozen=True, slots=True)
class Widened:
    """A place where an answer is wider than a source.

    Attributes:
        start: Where the words that widen it begin in the plain text.
        end: Where they end.
        source_statement: The source statement about the same.
        share: How much the two share of what they are about, from 0 to 1.
        limit: The sentence of the source with the limit.
        takes_in_more: Whether it says so of all or of one more (누구나, 똑같이); if not, it does
            without something (없이, 만 있으면).
        quote_end: Where the words end with which it is none if a source has the very same.
    """

    start: int
    end: int
    source_statement: Statement
    share: float
    limit: str
    takes_in_more: bool
    quote_end: int


def taken_in(
    statement: Statement,
    meaning: SourceMeaning,
    question: Mapping[str, float],
    before: Sequence[Claim],
) -> Widened | None:
    """Return where a statement includes what a source excludes; None if it does not.

    Args:
        statement: A statement of an answer.
        meaning: The statements of the sources.
        question: The features of the question.
        before: The sentence before it in the answer.
    """
    if statement.is_named or _means_what_was_denied(statement, before):
        return None
    return (
        _added(statement, meaning)
        or _conceded(statement, meaning, question)
        or _one_of_all(statement, meaning)
    )


def same_of_more(
    statement: Statement,
    meaning: SourceMeaning,
    question: Mapping[str, float],
    place: tuple[int, int],
    before: Sequence[Claim],
) -> Widened | None:
    """Return where a statement says the same of something that has a rule of its own.

    Args:
        statement: A statement of an answer.
        meaning: The statements of the sources.
        question: The features of the question.
        place: Where the word stands that says so (똑같이).
        before: The sentence before it.
    """
    if _means_what_was_denied(statement, before) or _is_said_of_more(statement, meaning):
        return None
    for claim in (*statement.conditions, statement.claim):
        for group in _added_in(claim):
            source = _with_own_rule(group.words, statement, meaning)
            if source is not None:
                return _wider(
                    min(group.start, place[0]), place[1], source, 1.0, meaning, all_=False
                )
    against = next(iter(meaning.related(statement, question, (-1,))), None)
    if against is None or against.share < _HALF:
        return None
    source = against.source_statement
    if _SOURCE_SAYS_THE_SAME.search(meaning.text_of(source.sentence, source.source)):
        return None
    return _wider(*place, against.source_statement, against.share, meaning, all_=False)


def _is_said_of_more(statement: Statement, meaning: SourceMeaning) -> bool:
    """Tell whether a source says of an act that it is the same for more (17세 미만도 동일하게)."""
    act = main_act(statement)
    return not is_carrier(act) and any(
        relation(statement, source)[0] > 0
        and _SAME.search(source.claim.text)
        and any(_ADDS.search(one.text) for one in source.sentence)
        for source in map(meaning.statements.__getitem__, meaning.with_act(statement))
    )


def _means_what_was_denied(statement: Statement, before: Sequence[Claim]) -> bool:
    """Tell whether a statement without an act repeats a denial (공휴일도 마찬가지입니다)."""
    if any(act.word is None or not _is_added(act.word, statement.claim) for act in statement.acts):
        return False
    earlier = statement.sentence[: statement.claim.position]
    return any(
        one.clause.modality in AGAINST or _FORBIDS_FIRST.search(one.clause.trail)
        for one in (*before, *earlier)
    )


def _is_added(word: Word, claim: Claim) -> bool:
    return _ADDS.match(claim.text, word.end - claim.clause.start) is not None


def _one_of_all(statement: Statement, meaning: SourceMeaning) -> Widened | None:
    """Return where one thing is enough for a statement and a source wants all (모두 갖춘 경우)."""
    for claim in (*statement.conditions, statement.claim):
        one = _ONE_IS_ENOUGH.search(claim.text)
        if one is None:
            continue
        begin = claim.clause.start + one.end()
        verb = next((word for word in claim.clause.words if word.start >= begin), None)
        for source in meaning.statements if verb else ():
            if any(_wants_all(verb, its) for its in (*source.conditions, source.claim)):
                start = claim.start + one.start()
                return _wider(start, statement.end, source, 1.0, meaning, all_=True)
    return None


def _wants_all(verb: Word | None, claim: Claim) -> bool:
    """Tell whether a clause says of an act that it be done with all (모두 갖추다)."""
    return (
        verb is not None
        and _ALL_OF_THEM.search(claim.text) is not None
        and not _ANY_OF_THEM.search(claim.text)
        and any(verb.features[-1] == word.features[-1] for word in claim.clause.words)
    )


def _wider(
    start: int, end: int, source: Statement, share: float, meaning: SourceMeaning, *, all_: bool
) -> Widened:
    limit = meaning.text_of(source.sentence, source.source)
    return Widened(start, end, source, share, limit, all_, quote_end=end)


@dataclass(frozen=True, slots=True)
class _Added:
    """A noun phrase to which a clause adds something, and its place with the particle."""

    words: tuple[Word, ...]
    start: int
    end: int


def _added_in(claim: Claim) -> Iterator[_Added]:
    """Yield the noun phrases that 도, 까지, 라도 or 포함 adds to what was said.

    Of a noun that only frames a case (취업 때문에 그만두는 경우도) the nouns before it count.
    """
    if not any(one in claim.text for one in _ADDING):
        return
    words = claim.clause.words
    shift = claim.start - claim.clause.start
    for at, word in enumerate(words):
        marked = _ADDS.match(claim.text, word.end - claim.clause.start)
        # 양도 가능, 포도, 수도: a noun of one syllable and 도 may be one noun.
        if word.is_verb or not marked or (len(word.text) == 1 and marked[0] == "도"):
            continue
        phrase = tuple(_nouns(words[_phrase_start(words, at) : at + 1]))
        if not phrase and word.text in _FRAMES:
            phrase = tuple(_nouns(telling(words[:at])[-_WORDS_OF_A_CASE:]))
        if phrase:
            yield _Added(phrase, phrase[0].start + shift, marked.end() + claim.start)


def _phrase_start(words: Sequence[Word], at: int) -> int:
    """Return the place of the first of the nouns that stand together up to a word."""
    while at and not words[at - 1].particle and words[at - 1].end + 1 >= words[at].start:
        at -= 1
    return at


def _nouns(words: Sequence[Word]) -> list[Word]:
    return [word for word in telling(words) if not word.is_verb]


def _added(statement: Statement, meaning: SourceMeaning) -> Widened | None:
    """Return what a statement adds (음식점업도) and a source takes out (음식점업 제외)."""
    if statement.modality in {*AGAINST, Modality.NOT_REQUIRED} or _ANSWER_TAKES_OUT.search(
        statement.claim.text
    ):
        return None
    if any(act.side < 0 and act.name != CHARGED for act in statement.acts[:1]):
        return None
    for claim in (*statement.conditions, statement.claim):
        for group in _added_in(claim) if not claim.clause.is_condition else ():
            source = _taking_out(group.words, statement, meaning)
            if source is not None and _is_of_same_act(statement, group.words, source):
                return _wider(group.start, statement.end, source, 1.0, meaning, all_=True)
    return None


def _taking_out(
    group: Sequence[Word], statement: Statement, meaning: SourceMeaning
) -> Statement | None:
    """Return the source statement that takes something out, if none takes it in."""
    near = list(meaning.naming(group[-1]))
    if not any(map(_may_take_out, near)):
        return None
    found = None
    for source in near:
        if meaning.held(group, _own_features(source)) < _NAMED:
            continue
        if _is_listed_with(group[-1], source, statement) or relation(statement, source)[0] > 0:
            return None
        if found is None and _takes_out(group[-1], source, statement, meaning):
            found = source
    return found


def _may_take_out(source: Statement) -> bool:
    labels = (one.text for one in source.claim.block.labels)
    return any(map(_SAYS_OUT.search, (source.claim.text, source.sentence[0].text, *labels)))


def _takes_out(word: Word, source: Statement, statement: Statement, meaning: SourceMeaning) -> bool:
    """Tell whether a source takes all of something out that a statement names."""
    text = meaning.text_of((*source.conditions, source.claim), source.source)
    return _is_taken_out(word, source, text) and not _is_narrowed(word, source, statement)


def _own_features(source: Statement) -> dict[str, float]:
    """Return the features of a statement, with its conditions and labels."""
    own = {
        feature: 1.0
        for one in (*source.conditions, source.claim)
        for word in one.clause.words
        for feature in word.features
    }
    for _, words in source.claim.labels:
        own.update({feature: 1.0 for word in words for feature in word.features})
    return own


def _is_taken_out(word: Word, source: Statement, text: str) -> bool:
    """Tell whether a clause of a source says of a word that it is taken out."""
    at = text.rfind(word.text)
    # 연장 기간에는 마사지가 포함되지 않는다: what is taken out is another thing.
    if at < 0 or _WHEN.match(text, at + len(word.text)):
        return False
    if _TAKEN_OUT.match(text, at + len(word.text)):
        return True
    # 제외: 타이어, 휠, 침수
    first = source.sentence[0].text
    labels = (one.text for one in source.claim.block.labels)
    before = (*labels, text[:at], first[: first.find(":") + 1])
    is_noun = _ENDS_IN_A_NOUN.search(source.claim.clause.trail) is not None
    # 첫 수업을 늦게 시작한 경우: what is taken out is the case, not the lesson.
    begin = source.claim.clause.start + at
    is_case = any(one.is_verb and one.start > begin for one in source.claim.clause.words)
    return is_noun and not is_case and any(map(_LABEL_OF_THE_EXCLUDED.search, before))


def _is_listed_with(word: Word, source: Statement, statement: Statement) -> bool:
    """Tell whether a source names a word in one list with what a statement speaks of anyway."""
    own = {feature for one in statement.claim.clause.words for feature in one.features}
    for text in (source.claim.text, *(label.text for label in source.claim.block.labels)):
        at = text.find(word.text)
        while at >= 0:
            behind = at + len(word.text)
            for beside in (_LISTED_BEFORE.search(text, 0, at), _LISTED_BEHIND.match(text, behind)):
                name = canonical(beside[1]) if beside else ""
                if name in statement.around and name not in own:
                    return True
            at = text.find(word.text, behind)
    return False


def _is_narrowed(word: Word, source: Statement, statement: Statement) -> bool:
    """Tell whether a source speaks of some only of what a statement names (이력이 있는 차)."""
    clause = source.claim.clause
    words = clause.words
    at = next((n for n, one in enumerate(words) if word.features[-1] in one.features), 0)
    first = at
    while first and not words[first - 1].particle and not words[first - 1].is_verb:
        if words[first - 1].end + 1 < words[first].start:
            break
        first -= 1
    if not first:
        earlier = source.sentence[: source.claim.position]
        return bool(earlier and _MODIFIES.search(earlier[-1].clause.trail))
    before = words[first - 1]
    gap = source.claim.text[before.end - clause.start : words[first].start - clause.start]
    around = {
        feature
        for one in statement.sentence
        for near in one.clause.words
        for feature in near.features
    }
    if before.is_verb and first == at and not before.is_light:
        return before.features[-1] not in around  # 보정 앱으로 고친 사진
    return _ADNOMINAL.fullmatch(gap) is not None and (
        before.is_light or before.features[-1] not in around
    )


def _is_of_same_act(statement: Statement, group: Sequence[Word], source: Statement) -> bool:
    """Tell whether a source takes something out of the very act that a statement says of it."""
    if _SAME.search(statement.claim.text) or COUNTED in statement.claim.text:
        return True
    if _NOT_MEANT.search(source.claim.text):
        return True
    act = next(iter(statement.acts), None)
    if act is None or act.word in group:
        return True
    sides = opposites()
    near = {feature for feature, weight in source.around.items() if weight >= LATER}
    if act.name in near | {sides[one][0] for one in near if one in sides}:
        return True
    own = {word.features[-1] for word in group}
    return any(
        word.features[-1] in near and word.features[-1] not in own
        for one in (*statement.conditions, statement.claim)
        for word in telling(one.clause.words)
    )


def _with_own_rule(
    group: Sequence[Word], statement: Statement, meaning: SourceMeaning
) -> Statement | None:
    """Return the source statement with a rule of its own for something; None if it has none."""
    found = None
    for source in meaning.naming(group[-1]):
        if _is_listed_with(group[-1], source, statement):
            return None
        if meaning.held(group, _own_features(source)) < _NAMED:
            continue
        text = meaning.text_of(source.sentence, source.source)
        own = " ".join(one.text for one in (*source.conditions, source.claim))
        says_it = relation(statement, source)[0] > 0 and not _UNDER_A_LIMIT.search(own)
        if says_it or _SOURCE_SAYS_THE_SAME.search(text):
            return None
        if found is None and (_OWN_RULE.search(own) or _BUT.match(text)):
            found = source
    return found


def _conceded(
    statement: Statement, meaning: SourceMeaning, question: Mapping[str, float]
) -> Widened | None:
    """Return the case that a statement sets aside and in which a source says the opposite."""
    cases = [
        (one, nouns)
        for one in statement.conditions
        if one.clause.is_concession and (nouns := _nouns(one.clause.words))
    ]
    if not cases:
        return None
    agreed = max((one.share for one in meaning.related(statement, question, (1,))), default=0.0)
    for match in meaning.related(statement, question, (-1,)):
        if match.share < max(_SPOKEN_OF, agreed):
            return None
        own = _own_features(match.source_statement)
        source = match.source_statement
        limits = [
            noun
            for one in (*source.conditions, *source.sentence[: source.claim.position])
            for noun in _nouns(one.clause.words)
        ]
        # 1회만 인정한다: another time is not, which is no other side.
        if is_against(statement) and re.search(_ONLY, source.claim.text):
            continue
        # 현금 구매이면서 영수증이 없는 경우: without the receipt alone it is another case.
        if any(not covered(noun, statement.around) for noun in limits):
            continue
        for case, nouns in cases:
            if meaning.held(nouns, own) >= _HALF:
                return _wider(case.start, statement.end, source, match.share, meaning, all_=True)
    return None
