"""What spells out the tokens of a text, cut where the text is cut."""

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject, member, objects


def split_tokens(logprobs: JsonValue | None, text: str, at: int) -> tuple[JsonValue, JsonValue]:
    """Return the log probabilities of a text's two halves; a cut token goes with the second.

    Where the tokens do not spell the text, all go with the second: what cannot be told apart
    leaves last.

    Args:
        logprobs: ``logprobs`` of a choice.
        text: The choice's text.
        at: Where it is cut, in code points.
    """
    tokens = objects(member(logprobs, "content"))
    if not isinstance(logprobs, dict) or not tokens:
        return logprobs, None
    kept = _tokens_before([str(token.get("token", "")) for token in tokens], text, at)
    return _with(logprobs, tokens[:kept]), _with(logprobs, tokens[kept:])


def _tokens_before(spelled: list[str], text: str, at: int) -> int:
    """Return how many tokens stand wholly before a place."""
    if "".join(spelled) != text:
        return 0
    end = 0
    for count, token in enumerate(spelled):
        end += len(token)
        if end > at:
            return count
    return len(spelled)


def _with(logprobs: JsonObject, tokens: list[JsonObject]) -> JsonValue:
    kept: list[JsonValue] = [*tokens]
    return logprobs | {"content": kept} if tokens else None
