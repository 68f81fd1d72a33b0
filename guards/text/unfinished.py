"""Answers that stop in the middle of a sentence, as a model does when its tokens run out."""

import re

from guards.text.sentences import Sentence

_LEAST_CHARS = 80
_LEAST_WORDS = 4
_CODE_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*•·○●▪■◦>#|]|\d{1,3}[.)]|[가-하][.)]|[①-⑳])")
_BARE_MARKER = re.compile(r"(?:^|\n)[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]*\Z")
# Particles, connectives and pieces of endings after which no Korean sentence is over. Syllables
# that nouns end in as well (도, 만, 이, 가, 로) are left out.
_GOES_ON = re.compile(
    r"(?:[가-힣]{2}(?:을|를|에서|에게|까지의|부터|으로써|으로서)|[가-힣](?:하고|하며|하여|하는|하도록|되고|되며|되어|되는|"
    r"합니|됩니|입니|습니|십시|하였|되었|했습|됐습|으며|면서|지만|거나|려면)|(?:^|\s)(?:및|또는|그리고|또한|하지만|그러나|따라서|다만|"
    r"위한|대한|따른|관한|통해|위해|대해|따라|경우에는|있는|없는|있으며|없으며|있으나|하는|되는))\Z|[,(\[{「『“‘·:]\Z"
)


def is_cut_off(answer: str, sentences: tuple[Sentence, ...]) -> bool:
    """Tell whether a long answer ends in the middle of a sentence, a list or a piece of code."""
    text = answer.rstrip()
    if len(text) < _LEAST_CHARS or not sentences:
        return False
    if len(_CODE_FENCE.findall(text)) % 2:
        return True
    if _BARE_MARKER.search(text[-12:]):
        return True
    last = sentences[-1].text
    if _ITEM.match(last) or len(last.split()) < _LEAST_WORDS:
        return False
    return _GOES_ON.search(last[-12:]) is not None
