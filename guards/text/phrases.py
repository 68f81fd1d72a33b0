"""Compiles the lexicons' notation for phrases into patterns over syllables without spaces.

One phrase a line: spaces mean nothing, ``(a|b)``, ``?``, ``[ab]``, ``$``,
``(?!a|b)`` and ``(?<!a)`` are as in regular expressions, ``~`` is any ending (어미), ``…`` up to
twelve syllables, ``<name>`` one of a named group of words, ``{stem}`` the stem of a predicate in
all its shapes, and ``{name}`` that of any stem of a named group.
"""

import re
from collections.abc import Mapping

from guards.lexicons.loading import sections
from guards.text.hangul import shapes

# The syllables that endings are made of. 않, 안, 못, 주 and 줘 are none of them, so that neither a
# negated predicate nor a request is taken for the bare one.
ENDING_SYLLABLES = (
    "거건걸겁게겠겟겨고구군굴긴까깐나냐냬네넹노뇨누느는니단다닥당대댑더던데덴돼됐됬되된될됨됩두드든듯디라란래러"
    "랴려렸로르른를리만먼며면보봐봤봣서세셈셔셨소슈스슨슴습시신십싶써쎄씀아앉았앗야얌어얼업엇었에여열엿였옄예"
    "오와왔요욬용우운워웠유으은을음읍의이인임입잇있잉자잔잖재쟁져졌죠지진질짐집쩌쪄쬬챠하한할함합했햇"
    "해혀"
)
_ENDING = f"[{ENDING_SYLLABLES}]{{0,10}}(?:(?<=[은는인던건한된])가요?)?"
_ANYTHING = ".{0,12}?"
_STEM = re.compile(r"\{([가-힣]+)\}")


def listed_phrases(name: str, heading: str) -> str:
    """Return a pattern for any phrase below a heading of a word list with its ``[groups]``."""
    lists = sections(name)
    groups = dict(line.split(maxsplit=1) for line in lists.get("groups", ()))
    return "|".join(_compiled(line.replace(" ", ""), groups) for line in lists[heading])


def words(notation: str) -> str:
    """Return a pattern for any one of the words that a block lists, the longest first."""
    longest_first = sorted(set(notation.split()), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(longest_first)})"


def _compiled(phrase: str, groups: Mapping[str, str]) -> str:
    for name, members in groups.items():
        phrase = phrase.replace(f"<{name}>", words(members))
    phrase = _STEM.sub(lambda found: _shapes(groups.get(found[1], found[1])), phrase)
    phrase = re.sub(r"\((?!\?)", "(?:", phrase)
    return phrase.replace("~", _ENDING).replace("…", _ANYTHING)


def _shapes(stems: str) -> str:
    return words(" ".join(shape for stem in stems.split() for shape in shapes(stem)))
