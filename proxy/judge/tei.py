"""A classifier of pairs behind Text Embeddings Inference: `POST /predict`."""

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from policies.judging.judge import JudgeQuestion, Opinions
from proxy.judge.nli import Scores, opinions_from, pairs
from proxy.judge.server import JudgeCallFailed, JudgeServer
from proxy.openai_api.json_body import JsonObject, objects

PATH: Final = "/predict"
_MOST_PAIRS = 32
"""What the server takes at once unless it was told otherwise."""


class TeiJudge:
    """Asks a classifier of pairs."""

    async def ask(self, server: JudgeServer, question: JudgeQuestion) -> Opinions:
        """Return what the scores come to.

        Raises:
            JudgeCallFailed: the server failed, or sent something else than scores.
        """
        bodies = [_body(some) for some in _batches(pairs(question))]
        replies = await server.post_each(PATH, bodies)
        return opinions_from(question, [scores for reply in replies for scores in _read(reply)])


def _body(some: Sequence[tuple[str, str]]) -> JsonObject:
    return {"inputs": [list(pair) for pair in some], "truncate": True}


def _batches(asked: Sequence[tuple[str, str]]) -> list[Sequence[tuple[str, str]]]:
    return [asked[at : at + _MOST_PAIRS] for at in range(0, len(asked), _MOST_PAIRS)]


def _read(reply: JsonValue) -> list[Scores]:
    if not isinstance(reply, list):
        raise JudgeCallFailed("garbage")
    return [_scores(one) for one in reply]


def _scores(one: JsonValue) -> Scores:
    return {
        str(item.get("label")): float(score)
        for item in objects(one)
        if isinstance(score := item.get("score"), (int, float))
    }
