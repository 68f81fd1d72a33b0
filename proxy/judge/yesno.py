"""Checkers that say yes or no to one claim: MiniCheck and Granite Guardian behind chat endpoints.

They are asked about each claim by itself, all at once. They quote nothing: their label is about the
passages that they were shown, the nearest of which stands as the quote. So nothing shows whether
they are right, and what they say is advisory: it may lower the confidence and do nothing else.
"""

import math
import re
from abc import ABC, abstractmethod
from statistics import fmean
from typing import Final

from pydantic import JsonValue

from policies.judging.judge import JudgeLabel, JudgeQuestion, OpenClaim, Opinion, Opinions
from proxy.judge.server import JudgeServer, completion_in
from proxy.openai_api.json_body import JsonObject, member, objects

PATH: Final = "/chat/completions"
_SUPPORTED_FROM = 0.5
_LIKELIEST = 5
_SCORE = re.compile(r"<score>\s*(yes|no)\b|^\s*(yes|no)\b", re.IGNORECASE)


class YesNoJudge(ABC):
    """Asks a checker.

    Args:
        model: Its name.
    """

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
