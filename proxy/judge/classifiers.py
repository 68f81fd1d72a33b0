"""Judges that do not quote: entailment classifiers and yes-or-no checkers.

Classifiers of natural language inference are served by TEI or vLLM, MiniCheck and Granite Guardian
behind chat endpoints. Their label is about the passages that they were shown, the nearest of which
stands as the quote. So nothing shows whether they are right, and what they say is advisory: it may
lower the confidence and do nothing else.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final

from pydantic import JsonValue

from policies.judging.judge import JudgeLabel, JudgeQuestion, OpenClaim, Opinion, Opinions
from proxy.judge.server import JudgeCallFailed, JudgeServer, completion_in
from proxy.openai_api.json_body import JsonObject, member, objects

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
_SURE_FROM = 0.5

Scores = Mapping[str, float]
"""Probability of each label for a passage and a claim."""


def pairs(question: JudgeQuestion) -> list[tuple[str, str]]:
    """Return every pair of a passage and a claim, claim by claim."""
    return [(window.text, claim.text) for claim in question.claims for window in claim.windows]


def opinions_from(question: JudgeQuestion, scored: Sequence[Scores]) -> Opinions:
    """Return the opinions that follow from a classifier's scores.

    Args:
        scored: One for each of `pairs`, in their order.

    Raises:
        JudgeCallFailed: there are more or fewer, or the labels are not those of a classifier of
            entailment.
    """
    if len(scored) != len(pairs(question)):
        raise JudgeCallFailed("garbage")
    rest = iter([_known_labels(scores) for scores in scored])
    opinions: list[Opinion] = []
    entailed: list[float] = []
    for claim in question.claims:
        of_claim = [next(rest) for _ in claim.windows]
        entailed.append(max(scores.get(ENTAILMENT, 0.0) for scores in of_claim))
        opinions.append(_opinion_by_scores(claim, of_claim))
    return Opinions(tuple(opinions), fmean(entailed))


def _known_labels(scores: Scores) -> Scores:
    named = {label.strip().lower(): score for label, score in scores.items()}
    if not named or not named.keys() <= {ENTAILMENT, NEUTRAL, CONTRADICTION}:
        raise JudgeCallFailed("unknown_labels")
    return named


def _opinion_by_scores(claim: OpenClaim, scored: Sequence[Scores]) -> Opinion:
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
"""Default batch size of the server, in pairs."""


class TeiJudge:
    """Asks a classifier of pairs."""

    async def ask(self, server: JudgeServer, question: JudgeQuestion) -> Opinions:
        """Return the opinions that follow from the scores.

        Raises:
            JudgeCallFailed: the server failed, or sent something else than scores.
        """
        asked = pairs(question)
        bodies: list[JsonObject] = [
            {"inputs": [list(pair) for pair in asked[at : at + _MOST_PAIRS]], "truncate": True}
            for at in range(0, len(asked), _MOST_PAIRS)
        ]
        replies = await server.post_each(TEI_PATH, bodies)
        return opinions_from(question, [scores for reply in replies for scores in _read_tei(reply)])


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
    """

    def __init__(self, model: str, separator: str) -> None:
        self._model = model
        self._separator = separator

    async def ask(self, server: JudgeServer, question: JudgeQuestion) -> Opinions:
        """Return the opinions that follow from the scores.

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


PATH: Final = "/chat/completions"
_SUPPORTED_FROM = 0.5
_LIKELIEST = 5
_SCORE = re.compile(r"<score>\s*(yes|no)\b|^\s*(yes|no)\b", re.IGNORECASE)


class YesNoJudge(ABC):
    """Asks a checker."""

    def __init__(self, model: str) -> None:
        self._model = model

    async def ask(self, server: JudgeServer, question: JudgeQuestion) -> Opinions:
        """Return the checker's opinions.

        Raises:
            JudgeCallFailed: a call failed, or its answer is neither yes nor no.
        """
        replies = await server.post_each(PATH, map(self._body, question.claims))
        supported = [self._supported(reply) for reply in replies]
        opinions = (
            _opinion(claim, share) for claim, share in zip(question.claims, supported, strict=True)
        )
        return Opinions(tuple(opinions), fmean(supported))

    @abstractmethod
    def _body(self, claim: OpenClaim) -> JsonObject:
        """Return the request about one claim."""

    @abstractmethod
    def _supported(self, reply: JsonValue) -> float:
        """Return how likely a claim is supported, by the reply."""


class MiniCheckJudge(YesNoJudge):
    """MiniCheck: yes means that the document says what the claim says."""

    def _body(self, claim: OpenClaim) -> JsonObject:
        document = "\n".join(window.text for window in claim.windows)
        return {
            "model": self._model,
            "messages": [{"role": "user", "content": f"Document: {document}\nClaim: {claim.text}"}],
            "stream": False,
            "temperature": 0,
            "max_tokens": 8,
            "logprobs": True,
            "top_logprobs": _LIKELIEST,
        }

    def _supported(self, reply: JsonValue) -> float:
        likely = _likelihood_of_yes(reply)
        return likely if likely is not None else float(_says_yes(reply))


class GraniteGuardianJudge(YesNoJudge):
    """Granite Guardian: yes means that the risk is there, so that the claim is not grounded."""

    def _body(self, claim: OpenClaim) -> JsonObject:
        return {
            "model": self._model,
            "messages": [{"role": "assistant", "content": claim.text}],
            "documents": [
                {"doc_id": str(at), "text": window.text} for at, window in enumerate(claim.windows)
            ],
            "chat_template_kwargs": {
                "guardian_config": {"criteria_id": "groundedness"},
                "think": False,
            },
            "stream": False,
            "temperature": 0,
            "max_tokens": 32,
        }

    def _supported(self, reply: JsonValue) -> float:
        return float(not _says_yes(reply))


def _opinion(claim: OpenClaim, supported: float) -> Opinion:
    is_supported = supported >= _SUPPORTED_FROM
    return Opinion(
        claim=claim.number,
        label=JudgeLabel.SUPPORTED if is_supported else JudgeLabel.UNSUPPORTED,
        score=supported if is_supported else 1 - supported,
        quote=claim.windows[0].text,
    )


def _says_yes(reply: JsonValue) -> bool:
    completion = completion_in(reply)
    said = _SCORE.search(completion.content)
    if said is None:
        raise completion.without_opinion()
    return (said[1] or said[2]).lower() == "yes"


def _likelihood_of_yes(reply: JsonValue) -> float | None:
    """Return how likely yes was against no at the first token; None if the server does not say."""
    tokens = objects(member(completion_in(reply).choice.get("logprobs"), "content"))
    if not tokens:
        return None
    mass = {"yes": 0.0, "no": 0.0}
    for one in objects(tokens[0].get("top_logprobs")):
        word, logprob = str(one.get("token")).strip().lower(), one.get("logprob")
        if word in mass and isinstance(logprob, (int, float)) and logprob <= 0:
            mass[word] += math.exp(logprob)
    total = sum(mass.values())
    return mass["yes"] / total if total > 0 else None
