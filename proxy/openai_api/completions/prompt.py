"""A prompt as the conversation that it is: where to look for the question, and where to add to it.

The prompt of an app is a template in one text, such as a context, a question and ``Answer:``. That
is how many apps write the user's turn of a chat, so it is read as one. A prompt that was written
out in a model's own chat format is read turn by turn.
"""

import re
from dataclasses import dataclass

from pydantic import JsonValue

from proxy.openai_api.sources.lines import Line, Role
from proxy.openai_api.sources.prompt import Prompt

_OPENER = re.compile(
    r"<\|im_start\|>(?P<chatml>\w{1,20})\n?"
    r"|<\|start_header_id\|>(?P<llama>\w{1,20})<\|end_header_id\|>"
    r"|<start_of_turn>(?P<gemma>\w{1,20})\n?"
    r"|<\|start\|>(?P<harmony>\w{1,20})(?:<\|channel\|>\w{1,20})?<\|message\|>"
    r"|\[\|(?P<exaone>system|user|assistant|tool)\|\]"
    r"|<\|(?P<phi>system|user|assistant|tool)\|>"
    r"|<[|｜](?P<deepseek>User|Assistant)[|｜]>"
    r"|(?P<inst>\[INST\])|(?P<answering>\[/INST\])|(?P<instructing><<SYS>>)|(?P<asking><</SYS>>)"
)
_NAMELESS = {"inst": "user", "answering": "assistant", "instructing": "system", "asking": "user"}
_ANSWERING = frozenset({"assistant", "model"})
_INSTRUCTING = frozenset({"system", "developer"})
_CLOSER = re.compile(
    r"(?:<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|<end_of_turn>|<\|end\|>|\[\|endofturn\|\]|</s>"
    r"|<[|｜]end▁of▁sentence[|｜]>|<s>|\s)+\Z"
)
_BEGINNING = re.compile(
    r"\s*(?:<s>|<bos>|\[BOS\]|<\|begin_of_text\|>|<\|startoftext\|>"
    r"|<[|｜]begin▁of▁sentence[|｜]>)?\s*"
)
_LONGEST_CLOSER_CHARS = 200


# Only a prompt that begins with a marker is one, so no marker amid somebody's question makes
# turns of it. And only the first turn can be the system's: everything behind it may be a user's
# doing.


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn.

    Attributes:
        role: `system`, `user` or `assistant`.
        start: Where its words begin in the prompt.
        end: Where they end.
    """

    role: str
    start: int
    end: int


def read_turns(prompt: str) -> tuple[Turn, ...]:
    """Return the turns that have words; none for a prompt in no chat format."""
    beginning = _BEGINNING.match(prompt)
    first = beginning.end() if beginning else 0
    if not _OPENER.match(prompt, first):
        return ()
    openers = list(_OPENER.finditer(prompt, first))
    ends = [*(opener.start() for opener in openers[1:]), len(prompt)]
    turns: list[Turn] = []
    for opener, outer_end in zip(openers, ends, strict=True):
        start, end = _words(prompt, opener.end(), outer_end)
        if start < end:
            turns.append(Turn(_role(opener, is_first=not turns), start, end))
    return tuple(turns)


def _words(prompt: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of a turn's words, without the space around them and what closes it."""
    tail = max(start, end - _LONGEST_CLOSER_CHARS)
    closer = _CLOSER.search(prompt[tail:end])
    end = tail + closer.start() if closer else end
    lead = len(prompt[start:end]) - len(prompt[start:end].lstrip())
    return start + lead, end


def _role(opener: re.Match[str], *, is_first: bool) -> str:
    style = opener.lastgroup or ""
    named = _NAMELESS.get(style) or opener[style].lower()
    if named in _ANSWERING:
        return "assistant"
    return "system" if is_first and named in _INSTRUCTING else "user"


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
    read = Prompt(prompt, is_user=True)
    last = read.all_headings[-1:]
    if not last or read.lines[last[0]].role is not Role.ANSWER:
        return None
    line = read.lines[last[0]]
    return None if prompt[line.end :].strip() else line
