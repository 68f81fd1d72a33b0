"""The names of a text, as far as their form shows them.

Korean has no capitals, so a name is told by its head, by its ending as a place, by a title after
it, by quotes beside a head, or by Latin capitals. A bare name in Hangul is not seen.
"""

import re
from dataclasses import replace

from guards.text.laws.name import is_law_name
from guards.text.names.headed import headed_names
from guards.text.names.latin import latin_names
from guards.text.names.name import Name
from guards.text.names.person import people
from guards.text.names.quoted import quoted_names
from guards.text.normal import Normal
from guards.text.slots.citation_places import citation_places
from guards.text.slots.numbered_text import blotted
from guards.text.writing.scripts import prose_only

_LAW = re.compile(r"「[^「」\n]{2,80}」")


def find_names(raw: str, normal: Normal) -> tuple[Name, ...]:
    """Return the names of a text in order of where they begin, each place once.

    Code, addresses, names of files, of laws in their brackets and of cited sources are left out.
    """
    text = blotted(normal.text, citation_places(normal.text))
    text = _LAW.sub(_without_law, prose_only(text))
    found = [*quoted_names(text), *headed_names(text), *latin_names(text), *people(text)]
    places: dict[tuple[int, int], Name] = {}
    for name in found:
        start, end = normal.to_raw(name.start, name.end)
        places.setdefault((start, end), replace(name, text=raw[start:end], start=start, end=end))
    return tuple(places[place] for place in sorted(places))


def _without_law(quoted: re.Match[str]) -> str:
    return " " * len(quoted[0]) if is_law_name(quoted[0]) else quoted[0]
