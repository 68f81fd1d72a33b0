"""A prompt as the conversation that it is: where to look for the question, and where to add to it.

The prompt of an app is a template in one text, such as a context, a question and ``Answer:``. That
is how many apps write the user's turn of a chat, so it is read as one. A prompt that was written
out in a model's own chat format is read turn by turn.
"""

from pydantic import JsonValue

from proxy.openai_api.completions.turns import read_turns
from proxy.openai_api.sources.lines import Line
from proxy.openai_api.sources.prompt import Prompt
from proxy.openai_api.sources.vocabulary import Role


def conversation(prompt: str) -> list[JsonValue]:
    """Return the messages that a prompt amounts to."""
    turns = read_turns(prompt)
    if not turns:
        return [{"role": "user", "content": prompt}]
    return [{"role": turn.role, "content": prompt[turn.start : turn.end]} for turn in turns]


def is_begun(prompt: str) -> bool:
    """Tell whether the answer goes on from a beginning that stands in the prompt."""
    turns = read_turns(prompt)
    if turns:
        return turns[-1].role == "assistant"
    cue = _answer_cue(prompt)
    return cue is not None and bool(cue.rest(prompt))


def noted(prompt: str, note: str) -> str:
    """Return a prompt with a note at the end of what is asked, before the cue to answer."""
    asked = [turn for turn in read_turns(prompt) if turn.role == "user"]
    if asked:
        end = asked[-1].end
        return f"{prompt[:end]}\n\n{note}{prompt[end:]}"
    cue = _answer_cue(prompt)
    at = len(prompt) if cue is None else cue.start
    return f"{prompt[:at].rstrip()}\n\n{note}\n\n{prompt[at:]}"


def _answer_cue(prompt: str) -> Line | None:
    """Return the line that ends a prompt and bids the model answer; None if there is none."""
    read = Prompt(prompt, asked=True)
    last = read.all_headings[-1:]
    if not last or read.lines[last[0]].role is not Role.ANSWER:
        return None
    line = read.lines[last[0]]
    return None if prompt[line.end :].strip() else line
