"""A classifier of entailment behind vLLM: `POST /classify`.

It takes single texts, so a passage and a claim are joined by what the model's tokenizer puts
between them. It names only the likeliest label.
"""

from typing import Final

from pydantic import JsonValue

from policies.judging.judge import JudgeQuestion, Opinions
from proxy.judge.nli import Scores, opinions_from, pairs
from proxy.judge.server import JudgeCallFailed, JudgeServer
from proxy.openai_api.json_body import JsonObject, member, objects

PATH: Final = "/classify"


class VllmJudge:
    """Asks a classifier of single texts.

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
        reply = await server.post(PATH, {"model": self._model, "input": joined})
        rows = sorted(objects(member(reply, "data")), key=_place)
        return opinions_from(question, [_scores(row) for row in rows])

    def _plain(self, text: str) -> str:
        """Return a text that cannot pass for a pair of its own."""
        return text.replace(self._separator, " ")


def _place(row: JsonObject) -> int:
    index = row.get("index")
    if not isinstance(index, int):
        raise JudgeCallFailed("garbage")
    return index


def _scores(row: JsonObject) -> Scores:
    label, shares = row.get("label"), row.get("probs")
    numbers = (
        [one for one in shares if isinstance(one, (int, float))] if isinstance(shares, list) else []
    )
    if not isinstance(label, str) or not numbers:
        raise JudgeCallFailed("garbage")
    return {label: float(max(numbers))}
