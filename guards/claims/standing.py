"""Standing of a clause: whether it asserts something. Only an assertion can be wrong.

All guards use this module. An abstention, a courtesy, advice, a question and a hypothesis are
recognised by their construction (``guards/lexicons/standing.txt``) over the morphemes of the
clause, so that other words in the same construction have the same standing. A clause that only
names a condition has the standing of the clause that it is a condition of.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from operator import attrgetter

from guards.claims.reader import Claim, Clause, Reading, read_claims
from guards.lexicons.loading import Candidates, sections

_KEPT = 4096


class Standing(StrEnum):
    """Standing of a clause."""

    ASSERTED = "asserted"
    ABSTENTION = "abstention"
    """That the sources do not tell, or that it cannot be said."""
    QUESTION = "question"
    ADVICE = "advice"
    """Advice, and frames without content: 미리 확인하세요, 시기에 따라 다릅니다."""
    COURTESY = "courtesy"
    """Greetings, sympathy, offers, announcements, whom to ask."""
    HYPOTHESIS = "hypothesis"
    """An assumption for an example: 월급이 300만 원이라고 가정하면."""
    LABEL = "label"
    """A heading, the head of a table or of a list: it only names what follows."""


# What a sentence is if nothing of it is asserted: the first of these that one of its clauses is.
_RANK = (
    Standing.ABSTENTION,
    Standing.QUESTION,
    Standing.ADVICE,
    Standing.COURTESY,
    Standing.HYPOTHESIS,
    Standing.LABEL,
)
_SECTIONS = {
    "asserted": Standing.ASSERTED,
    "hypothesis": Standing.HYPOTHESIS,
    "abstention": Standing.ABSTENTION,
    "courtesy": Standing.COURTESY,
    "request": Standing.COURTESY,
    "advice": Standing.ADVICE,
    "frame": Standing.ADVICE,
}
# Kind words around a time or a number say something that can be wrong: 3일 전까지 연락해 주세요.
_EMPTY_WITHOUT_FIGURES = frozenset({"request", "advice"})
# What asks or advises kindly behind a verb: -해 주세요, -하시기 바랍니다, -하셔야 합니다.
_PLEASE = (
    r"(?: (?:하|되|받|드리))*(?: 지 (?:말|않)(?: 도록)?)?(?: (?:아|어|ㅓ|여))?(?: 보)?"
    r"(?: (?:아|어))?(?: (?:주|두|놓))?(?: 도록)?(?: 하)?"
    r"(?:!| (?:바라|부탁 드리|기 (?:ㄹ )?(?:바라|부탁 드리|부탁 하|권하)|면 되|면 좋(?: 겠)?"
    r"|면 감사 하(?: 겠)?|(?:아야|어야|여야|ㅓ야) 하|필요 하|필요 있|ㄹ 필요 있"
    r"|는 것 (?:좋|필요 하|중요 하)))"
)
# A place or means that is no source: 앱에서 확인할 수 없습니다 is about the app.
_ELSEWHERE = (
    r"(?:^| )(?!(?:<source>) )(?!(?:것|이것|여기|지금|현재|적|제|저) )\S+ (?:에서|으로|로) (?!부터)"
)
_FOR = re.compile(
    r"(?:주|드리|끼치)/V\S (?:시/EP )?(?:어|아)?서?/EC$|(?:주|드리)/V\S (?:시/EP )?어서/EC$"
    r"|기다리/V\S (?:시/EP )?게/EC \S+/V\S (?:시/EP )?[아어여ㅓ]?서/EC$"
)
_REASON = re.compile(r"(?:므로|으므로|니|으니|니까|으니까|어서|아서|여서|라서)/EC$")
_ASKED = ("는지/EC", "ㄴ지/EC", "은지/EC", "ㄹ지/EC", "을지/EC", "던지/EC")
_LONGEST_QUESTION = 2000
"""Characters of a trail in which what is to be found out is looked for."""
_POSITION = attrgetter("position")
_LONGEST_END = 40
"""Characters of a trail in which its ending stands: a clause may be as long as its text."""
_LEFT_OUT = frozenset({"JX", "JKS", "JKO", "JKC", "JKG", "SF", "SC", "SY", "SSO", "SSC", "SE"})
_LAST = frozenset({"EF", "EC", "EP", "ETN"})
_HONORIFIC = frozenset({"시", "으시"})
_IMPERATIVE = frozenset(
    {"세요", "으세요", "십시오", "으십시오", "ㅂ시오", "읍시오", "시오", "셔요", "ㅂ시다"}
)
_POLITE = frozenset({"어요", "어", "죠", "지요", "고", "며", "어서", "면서", "고요"})
_PROMISES = frozenset({"ㄹ게요", "을게요", "ㄹ게", "ㄹ께요", "ㄹ까요", "을까요"})
_CONDITION_MARK, _REQUEST_MARK = "-", "!"


def standing_of(claim: Claim, sentence: Sequence[Claim]) -> Standing:
    """Return how a clause stands.

    Args:
        claim: The clause.
        sentence: The clauses of its sentence, this one among them.
    """
    if claim.block.is_heading:
        return Standing.LABEL
    if _is_question(sentence[-1]) and not _is_complete(claim, sentence):
        return Standing.QUESTION
    own = _own(claim.clause)
    at = bisect_right(sentence, claim.position, key=_POSITION)
    if own is not Standing.ASSERTED or at == len(sentence):
        return own
    follows = sentence[at]
    if _leans_on_next(claim.clause):
        standing = standing_of(follows, sentence)
        # Before a hypothesis it is one of two conditions.
        return own if standing is Standing.HYPOTHESIS else standing
    # 다른 소득을 알아야 하므로 세액은 계산할 수 없습니다: why it cannot be determined.
    trail = claim.clause.trail
    is_reason = "/SN" not in trail and _REASON.search(trail[-_LONGEST_END:]) is not None
    if is_reason and standing_of(follows, sentence) is Standing.ABSTENTION:
        return Standing.ABSTENTION
    return own


def standing_of_sentence(sentence: Sequence[Claim]) -> Standing:
    """Return how a sentence stands: asserted if any of its clauses is."""
    found = {standing_of(claim, sentence) for claim in sentence}
    if Standing.ASSERTED in found:
        return Standing.ASSERTED
    return next(one for one in _RANK if one in found)


def asserted(reading: Reading) -> Iterator[Claim]:
    """Yield the clauses of a text that say something of the world, in order."""
    for sentence in reading.sentences:
        for claim in sentence:
            if standing_of(claim, sentence) is Standing.ASSERTED:
                yield claim


def abstains(text: str) -> bool:
    """Tell whether a text says nothing but that it cannot tell."""
    found = {standing_of_sentence(sentence) for sentence in read_claims(text).sentences}
    return Standing.ABSTENTION in found and Standing.ASSERTED not in found


def _leans_on_next(clause: Clause) -> bool:
    """Tell whether a clause is a condition, or what is thanked or apologised for (…셔서, …드려)."""
    return _is_condition(clause) or _FOR.search(clause.trail[-_LONGEST_END:]) is not None


def _is_condition(clause: Clause) -> bool:
    return clause.is_condition or clause.is_concession


def _is_question(claim: Claim) -> bool:
    return claim.text.rstrip("\"'”’)] ").endswith("?")


def _is_complete(claim: Claim, sentence: Sequence[Claim]) -> bool:
    """Tell whether a clause says something by itself before the question of its sentence."""
    last = claim is sentence[-1]
    return (
        not last
        and re.search(r"(?:지만|는데|ㄴ데|은데|므로|니|니까)/EC$", claim.clause.trail) is not None
    )


def _own(clause: Clause) -> Standing:
    return _own_of(clause.trail, is_condition=_is_condition(clause))


# Several guards ask for each clause of an answer.
@lru_cache(maxsize=_KEPT)
def _own_of(trail: str, *, is_condition: bool) -> Standing:
    # A telephone number is no figure, and can be wrong as well. What is to be found out is not
    # said: 5평 방의 짐이 어느 규격에 들어가는지는 지점에 확인해 보세요.
    may_ask = len(trail) <= _LONGEST_QUESTION and "지/EC" in trail
    asked_until = max(map(trail.rfind, _ASKED)) if may_ask else -1
    has_figures = trail.find("/SN", asked_until + 1) >= 0
    return _of_core(_core(trail, is_condition=is_condition), has_figures)


def _core(trail: str, *, is_condition: bool) -> str:
    """Return the forms of a clause up to its last predicate, and marks for how it ends."""
    pieces = [one.rsplit("/", 1) for one in trail.split(" ") if "/" in one]
    # Marks behind the sentence: 확인되지 않습니다. [1]
    ends = [at for at, one in enumerate(pieces) if one[1] == "EF"]
    pieces = pieces[: ends[-1] + 1] if ends else pieces
    endings: list[str] = []
    while pieces and (pieces[-1][1] in _LAST or pieces[-1][1] in _LEFT_OUT):
        form, _ = pieces.pop()
        if form == "겠":
            pieces.append([form, ""])
            break
        endings.append(form)
    forms = [form for form, tag in pieces if tag not in _LEFT_OUT and (tag != "EP" or form == "겠")]
    if not _PROMISES.isdisjoint(endings):
        forms.append("겠")
    mark = ""
    if is_condition:
        mark = _CONDITION_MARK
    elif not _IMPERATIVE.isdisjoint(endings) or (
        not _HONORIFIC.isdisjoint(endings) and not _POLITE.isdisjoint(endings)
    ):
        mark = _REQUEST_MARK
    return " ".join(forms) + mark


@lru_cache(maxsize=_KEPT)
def _of_core(core: str, has_figures: bool) -> Standing:
    rules, candidates = _rules()
    for number in candidates.of(core):
        name, main, taken_back = rules[number]
        if has_figures and name in _EMPTY_WITHOUT_FIGURES:
            continue
        if main.search(core) and not (taken_back and taken_back.search(core)):
            return _SECTIONS[name]
    return Standing.ASSERTED


_Rule = tuple[str, re.Pattern[str], re.Pattern[str] | None]


@cache
def _rules() -> tuple[Sequence[_Rule], Candidates]:
    """Return each rule's section, its pattern and what takes it back; and which may match."""
    table = dict(sections("standing"))
    sets = dict(line.split(":", 1) for line in table.pop("sets"))
    named = {name: rf"\b(?:{'|'.join(words.split())})" for name, words in sets.items()}
    named["elsewhere"] = _ELSEWHERE.replace("<source>", named["source"].removeprefix(r"\b"))

    def pattern(text: str) -> re.Pattern[str]:
        for name, words in named.items():
            text = text.replace(f"<{name}>", words)
        return re.compile(text.replace("~", _PLEASE))

    found: list[_Rule] = []
    for name, entries in table.items():
        for entry in entries:
            main, _, taken_back = (piece.strip() for piece in entry.partition("@"))
            # A kind ending or that of a condition may stand behind any of them.
            main = re.sub(r"(?<![\\!-])\$$", r"[!-]?$", main)
            found.append((name, pattern(main), pattern(taken_back) if taken_back else None))
    return found, Candidates(main.pattern for _, main, _ in found)
