"""The turns of a prompt that was written out in a model's own chat format.

Only a prompt that begins with a marker is one, so no marker amid somebody's question makes turns of
it. And only the first turn can be the system's: everything behind it may be a user's doing.
"""

import re
from dataclasses import dataclass

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
