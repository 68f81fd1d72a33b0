"""Judges that are classifiers of natural language inference, served by TEI or vLLM.

A classifier quotes nothing: its label is about the passage that it was shown, which stands as the
quote. So nothing shows whether it is right, and its opinion is advisory: it may lower the
confidence and do nothing else.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from pydantic import JsonValue

from policies.judging.judge import JudgeLabel, JudgeQuestion, OpenClaim, Opinion, Opinions
from proxy.judge.server import JudgeCallFailed, JudgeServer
from proxy.openai_api.json_body import JsonObject, member, objects

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
_SURE_FROM = 0.5

Scores = Mapping[str, float]
"""How likely each label is for one pair of a passage and a claim."""


def pairs(question: JudgeQuestion) -> list[tuple[str, str]]:
    """Return every pair of a passage and a claim, claim by claim."""
    return [(window.text, claim.text) for claim in question.claims for window in claim.windows]


def opinions_from(question: JudgeQuestion, scored: Sequence[Scores]) -> Opinions:
    """Return the opinions that a classifier's scores come to.

    Args:
        question: What was asked.
        scored: One for each of `pairs`, in their order.

    Raises:
        JudgeCallFailed: there are more or fewer, or the labels are not those of a classifier of
            entailment.
    """
    if len(scored) != len(pairs(question)):
        raise JudgeCallFailed("garbage")
    rest = iter([_known(scores) for scores in scored])
    opinions: list[Opinion] = []
    entailed: list[float] = []
    for claim in question.claims:
        of_claim = [next(rest) for _ in claim.windows]
        entailed.append(max(scores.get(ENTAILMENT, 0.0) for scores in of_claim))
        opinions.append(_opinion(claim, of_claim))
    return Opinions(tuple(opinions), fmean(entailed))


def _known(scores: Scores) -> Scores:
    named = {label.strip().lower(): score for label, score in scores.items()}
    if not named or not named.keys() <= {ENTAILMENT, NEUTRAL, CONTRADICTION}:
        raise JudgeCallFailed("unknown_labels")
    return named


def _opinion(claim: OpenClaim, scored: Sequence[Scores]) -> Opinion:
    for label, meaning in (
        (ENTAILMENT, JudgeLabel.SUPPORTED),
        (CONTRADICTION, JudgeLabel.CONTRADICTORY),
    ):
        best = max(range(len(scored)), key=lambda at: scored[at].get(label, 0.0))
        score = scored[best].get(label, 0.0)
        if score >= _SURE_FROM:
            return Opinion(claim.number, meaning, score=score, quote=claim.windows[best].text)
    unsure = 1 - max(scores.get(ENTAILMENT, 0.0) for scores in scored)
    return Opinion(claim.number, JudgeLabel.UNSUPPORTED, score=unsure, quote=claim.windows[0].text)


TEI_PATH: Final = "/predict"
_MOST_PAIRS = 32
"""What the server takes at once unless it was told otherwise."""


class TeiJudge:
    """Asks a classifier of pairs."""

    async def ask(self, server: JudgeServer, question: JudgeQuestion) -> Opinions:
        """Return what the scores come to.

        Raises:
            JudgeCallFailed: the server failed, or sent something else than scores.
        """
        bodies = [_tei_body(some) for some in _batches(pairs(question))]
        replies = await server.post_each(TEI_PATH, bodies)
        return opinions_from(question, [scores for reply in replies for scores in _read_tei(reply)])


def _tei_body(some: Sequence[tuple[str, str]]) -> JsonObject:
    return {"inputs": [list(pair) for pair in some], "truncate": True}


def _batches(asked: Sequence[tuple[str, str]]) -> list[Sequence[tuple[str, str]]]:
    return [asked[at : at + _MOST_PAIRS] for at in range(0, len(asked), _MOST_PAIRS)]


def _read_tei(reply: JsonValue) -> list[Scores]:
    if not isinstance(reply, list):
        raise JudgeCallFailed("garbage")
    return [_tei_scores(one) for one in reply]


def _tei_scores(one: JsonValue) -> Scores:
    return {
        str(item.get("label")): float(score)
        for item in objects(one)
        if isinstance(score := item.get("score"), (int, float))
    }


VLLM_PATH: Final = "/classify"


class VllmJudge:
    """A classifier of single texts behind vLLM (`POST /classify`).

    A passage and a claim are joined by what the model's tokenizer puts between them. The reply
    names only the likeliest label.

    Args:
        model: Its name.
        separator: What stands between the two texts of a pair.
    """

    def __init__(self, model: str, separator: str) -> None:
        self._model = model
        self._separator = separator

    async def ask(self, server: JudgeServer, question: JudgeQuestion) -> Opinions:
        """Return what the scores come to.

        Raises:
            JudgeCallFailed: the server failed, or sent something else than scores.
        """
        joined: list[JsonValue] = [
            f"{self._plain(passage)}{self._separator}{self._plain(claim)}"
            for passage, claim in pairs(question)
        ]
        reply = await server.post(VLLM_PATH, {"model": self._model, "input": joined})
        rows = sorted(objects(member(reply, "data")), key=_vllm_place)
        return opinions_from(question, [_vllm_scores(row) for row in rows])

    def _plain(self, text: str) -> str:
        """Return a text that cannot pass for a pair of its own."""
        return text.replace(self._separator, " ")


def _vllm_place(row: JsonObject) -> int:
    index = row.get("index")
    if not isinstance(index, int):
        raise JudgeCallFailed("garbage")
    return index


def _vllm_scores(row: JsonObject) -> Scores:
    label, shares = row.get("label"), row.get("probs")
    numbers = (
        [one for one in shares if isinstance(one, (int, float))] if isinstance(shares, list) else []
    )
    if not isinstance(label, str) or not numbers:
        raise JudgeCallFailed("garbage")
    return {label: float(max(numbers))}
