"""The words and turns of a clause by which what it says is told from what others say.

Words carry who or what it is about and under which condition; turns (after, unless, at most, ...)
are what may reverse it. Words that only strengthen it or are polite do not count.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from guards.lexicons.opposites import FAMILIES
from guards.text.lemmas import lemma
from guards.text.tokens import content_words, word_stem

_CONDITION = re.compile(
    r"(?:[하되으지나르오시려쳐]면|(?<=[가-힣])[이다라]면"
    r"|(?<=[가-힣])(?:[한은인된할을를는]\s(?:경우|때|동안)|\s중))[가-힣]{0,3}(?=[\s,])"
    r"|[가-힣](?:[가-힣]\s|[^\W드])시(?:에는|에도|에)?(?=[\s,])"
)
_MAY_BE_CONDITION = re.compile(r"[면시중]|경우|때|동안")
_ARTICLE = re.compile(r"제\d+[조항호](?:의\d+)?(?:\([^)]{0,40}\))?")
_MARKER = re.compile(r"\s*(?:[-*•·#>]+|\d{1,2}[.)])\s")
_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"\d[\d,.:]*")
_FIGURE_WORD = re.compile(r"\d[\d,.:/~-]*[ ]?[가-힣%]*")
_PARENTHESES = re.compile(r"\([^()]{0,80}\)")
_AND = ("와", "과", "나", "및", "·", ",", "/", "ㆍ", "또는")
_ONLY = re.compile(r"만(?:이|을|은|의|으로|으로도|으로는)?$")
_HONORIFIC = re.compile(r"(?<=[가-힣])(?:하|되|받으|으)시$")
_DOER = re.compile(r"(?<=[가-힣]{2})자$")
_MANNER = re.compile(r"(?:지체|관계|상관|제한|차질|빠짐|틀림|변함)\s?없이")
_LEAST_PART_CHARS = 2
_WORDS_KEPT = 16_384
_SETS_KEPT = 1024
_NONE: frozenset[str] = frozenset()
_TURNS: Mapping[str, re.Pattern[str]] = {
    "only": re.compile(r"한하[여는]|한해|한정|밖에"),
    "unless": re.compile(
        r"아니면|않으면|않고|없으면|없이|없어도|아니어도|아니라도|외에는|제외하고|않은|않는"
        r"|아니하[고면는]|아니한|못한|못하[고면는]|없는|아닌"
    ),
    "over": re.compile(r"지나|지난|경과|넘[는으을긴기어]|초과|이후"),
    "before": re.compile(r"(?<![가-힣])전(?:에|이|까지|날|$|\s)|이전|이내|미만|안에"),
    "after": re.compile(r"(?<![가-힣])(?:후|뒤)(?:에|로|$|\s)|끝나|마치|부터"),
    "at least": re.compile(r"이상"),
    "at most": re.compile(r"이하|까지"),
    "these": re.compile(r"각\s?호|다음의|다음과"),
    "despite": re.compile(r"불구하"),
}
# What stands in every one of them.
_MAY_TURN = re.compile(
    r"[않없못외]|한[하해정]|밖에|아[니닌]|제외|지[나난]|경과|넘|초과|이[후전내상하]|전|미만|안에|후|뒤|끝나|마치"
    r"|부터|까지|각\s?호|다음[의과]|불구"
)
_LIGHT_START = re.compile(r"(?:않|아니|없|있|받[으는은을지고아]|하[시셨는지여였]|되[시셨는지어었])")
_LIGHT = frozenset(
    """
    가능 불가 불가능 정상 정상적 그대로 반드시 꼭 별도 자유롭 자유 평소 바로 원칙적 원칙 모두
    언제든 언제든지 아니요 아니오 네 예 고객 고객님 현재 대상 기준 규정 필요 금지 허용 의무 필수
    제한 여부 사항 밖 및 등 자 분 안 못 참고 바라 드리 주시 주 하 되 받 있 없 않 아니 말 원하
    혹시 이미 아직 누구나 누구든지 경우 시 무관 원 의 에 은 는 이 가 을 를 도
    """.split()
)


class Word(NamedTuple):
    """A word of a clause.

    Attributes:
        names: The forms under which it is compared.
        heads: The ends of those that are long enough to be compounds.
        is_listed: It stands in a list, each of which would do.
        is_condition: It belongs to the condition under which the saying holds.
        is_only: The saying holds for nothing else (월요일만).
    """

    names: frozenset[str]
    heads: frozenset[str]
    is_listed: bool
    is_condition: bool
    is_only: bool


def words_of(clause: str) -> tuple[Word, ...]:
    """Return the words of a clause that carry its subject, in order."""
    bare = _FIGURE_WORD.sub(" ", _PARENTHESES.sub(" ", _without_articles(clause)))
    found = content_words(bare)
    ends = max((condition.end() for condition in conditions(bare)), default=0)
    listed = _listed(bare, [word.start for word in found])
    words = (_word(one.text, one.start in listed, one.end <= ends) for one in found)
    return tuple(word for word in words if word)


def conditions(clause: str) -> Iterator[re.Match[str]]:
    """Return the ends of the conditions of a clause (분실하면, 분실 시), in order."""
    return _CONDITION.finditer(clause) if _MAY_BE_CONDITION.search(clause) else iter(())


@lru_cache(maxsize=_WORDS_KEPT)
def _word(text: str, is_listed: bool, is_condition: bool) -> Word | None:
    """Return a word of a clause; None for one that carries no subject."""
    names = names_of(text)
    if not names.isdisjoint(_LIGHT) or _LIGHT_START.match(text):
        return None
    is_only = _ONLY.search(text) is not None
    return Word(names, _heads(names), is_listed, is_condition, is_only)


@lru_cache(maxsize=_WORDS_KEPT)
def names_of(word: str) -> frozenset[str]:
    """Return the forms under which a word is compared, the names of its families among them."""
    stem = word_stem(word)
    names = {word, stem, _HONORIFIC.sub("", lemma(word)), _DOER.sub("", stem)}
    return frozenset(names.union(*(FAMILIES[name].names for name in names if name in FAMILIES)))


def turns_of(clause: str) -> frozenset[str]:
    """Return the names of the turns that a clause takes."""
    if not _MAY_TURN.search(clause):
        return _NONE
    bare = _MANNER.sub(" ", clause)
    return _shared(frozenset(name for name, turn in _TURNS.items() if turn.search(bare)))


def figures_of(clause: str) -> frozenset[str]:
    """Return the figures of a clause, but for the numbers of provisions and list items."""
    if not _DIGIT.search(clause):
        return _NONE
    return _shared(frozenset(_FIGURE.findall(_without_articles(clause))))


@lru_cache(maxsize=_SETS_KEPT)
def _shared(words: frozenset[str]) -> frozenset[str]:
    """Return one set for all that are equal: most clauses have no turns and no figures."""
    return words


def _without_articles(clause: str) -> str:
    marker = _MARKER.match(clause)
    return _ARTICLE.sub(" ", f" {clause[marker.end() :]}" if marker else clause)


def _heads(names: frozenset[str]) -> frozenset[str]:
    return frozenset(
        name[at:]
        for name in names
        for at in range(_LEAST_PART_CHARS, len(name) - _LEAST_PART_CHARS + 1)
    )


def _listed(text: str, starts: Sequence[int]) -> frozenset[int]:
    """Return where the words begin that stand in a list (A와 B; A, B 및 C)."""
    joined: set[int] = set()
    for start, following in pairwise(starts):
        if text[start:following].rstrip().endswith(_AND):
            joined |= {start, following}
    return frozenset(joined)
