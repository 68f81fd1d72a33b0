"""What spells out the tokens of a text, cut where the text is cut."""

from pydantic import JsonValue

from proxy.openai_api.json_body import member, objects


def split_tokens(logprobs: JsonValue | None, at: int) -> tuple[JsonValue, JsonValue]:
    """Return the log probabilities of a text's two halves; a cut token goes with the second.

    Args:
        logprobs: ``logprobs`` of a choice.
        at: Where the text is cut, in code points.
    """
    tokens = objects(member(logprobs, "content"))
    if not isinstance(logprobs, dict) or not tokens:
        return logprobs, None
    kept = 0
    said = 0
    for token in tokens:
        said += len(str(token.get("token", "")))
        if said > at:
            break
        kept += 1
    before: list[JsonValue] = [*tokens[:kept]]
    behind: list[JsonValue] = [*tokens[kept:]]
    return logprobs | {"content": before}, logprobs | {"content": behind}
