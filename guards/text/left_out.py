"""What a rule leaves out: ``맹견을 제외하고 입장할 수 있다`` says the opposite of 맹견."""

import re

from guards.text.claims import bare_claim
from guards.text.features import features

_LEFT_OUT = re.compile(
    r"(?P<what>(?:[^,.:\n()]|\([^()\n]{1,40}\)){1,60})[을를]?\s"
    r"(?:빼고|뺀|제외하[고면]|제외한|외(?:에는|에|의)?)\s"
)
_TOPIC_END = re.compile(r"[은는]\s")


def is_left_out(claim: str, sentence: str) -> bool:
    """Tell whether a claim speaks of what a sentence leaves out, and leaves nothing out itself."""
    left_out = _LEFT_OUT.search(sentence)
    if left_out is None or _LEFT_OUT.search(claim):
        return False
    words = features(_TOPIC_END.split(left_out["what"])[-1]).forms
    return not words.isdisjoint(features(bare_claim(claim)).names)
