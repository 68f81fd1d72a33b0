"""What stands in for the user's own identifiers before the model.

An identifier that the user (or an answer to the user) gave becomes a placeholder such as
``[전화번호-1]``, wherever it stands in the request; what the model makes of the placeholder becomes
the identifier again. The two are known to each other for the length of one request, in memory, and
nothing that prints the object shows them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from guards.core.exchange import Source
from guards.personal_data import Handling, PersonalData, PersonalDataSettings
from guards.text.mask_occurrences import Occurrences
from guards.text.personal import find_personal
from guards.text.personal_kinds import PersonalKind
from guards.text.personal_shown import unpublished
from policies.policy import Mode, Policy
from proxy.openai_api.json_body import JsonObject, objects
from proxy.openai_api.sse import json_bytes
from proxy.personal.placeholders import in_text, placeholder

_SPEAKERS = frozenset({"user", "assistant"})
# A file that travels inside the request, in base64.
_ENCODED = "data:"


@dataclass(frozen=True)
class StandIns:
    """The identifiers of one request with what stands in for each.

    Attributes:
        by_value: Identifier -> placeholder.
    """

    by_value: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        written = dict(self.by_value)
        for value, stand_in in self.by_value.items():
            # How it may be written in the arguments of an earlier call of a tool.
            written.setdefault(json.dumps(value)[1:-1], stand_in)
        object.__setattr__(self, "_written", written)
        object.__setattr__(self, "_occurrences", Occurrences(written))
'''
