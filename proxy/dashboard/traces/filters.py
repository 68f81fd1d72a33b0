"""Which traces a page wants, read off its address."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from proxy.dashboard.languages import msgid
from proxy.dashboard.overview.spans import SPANS
from proxy.traces.query import Query, UnknownMoment, moment
from proxy.traces.trace import ACTION_NAMES

FIELDS = ("text", "action", "guard", "code", "door", "span", "since", "until")
"""What an address can ask for beside the tenant."""
LONGEST_TEXT_CHARS = 200
"""Every word is looked for in every text, so that many words take long."""
_PLACE = r"(?:\d{1,18}(?:-\d{1,18})?)?"
_CURSOR = re.compile(rf"{_PLACE}(?:\.{_PLACE}){{0,63}}")
"""A place, or one for each part of a store that is spread over servers."""
_LONG_TEXT = msgid("The words to look for are too long.")
_BAD_ACTION = msgid("This address asks for an action that there is not.")
_BAD_SPAN = msgid("This address asks for a span of time that there is not.")
_BAD_TIME = msgid("This address asks for a time that cannot be read.")


class BadFilter(ValueError):
    """An address asks for what cannot be; `said` is what to tell, to be translated."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


@dataclass(frozen=True, slots=True)
class Filters:
    """What an address asks for.

    Attributes:
        asked: The fields that it names, as they are.
        since: The moment from which on; None if it names none.
        until: The moment up to which; None if it names none.
        begin: Where a span of time up to now begins; None if it names none.
        before: Cursor of an older page; None for the newest.
    """

    asked: Mapping[str, str]
    since: datetime | None = None
    until: datetime | None = None
    begin: datetime | None = None
    before: str | None = None

    @classmethod
    def of(cls, query: Mapping[str, str], now: datetime) -> "Filters":
        """Read the query of an address.

        Raises:
            BadFilter: it asks for what cannot be.
        """
        asked = asked_in(query)
        if len(asked.get("text", "")) > LONGEST_TEXT_CHARS:
            raise BadFilter(_LONG_TEXT)
        if asked.get("action", ACTION_NAMES[0]) not in ACTION_NAMES:
            raise BadFilter(_BAD_ACTION)
        return cls(
            asked=asked,
            since=_moment(asked.get("since"), now),
            until=_moment(asked.get("until"), now),
            begin=_begin(asked.get("span"), now),
            before=cursor_in(query, "before"),
        )

    @property
    def text(self) -> str:
        """The words that are looked for."""
        return self.asked.get("text", "")

    def query(self, tenant: str | None, limit: int, *, after: str | None = None) -> Query:
        """Return what to ask a store for.

        Args:
            tenant: Whose traces; None for all.
            limit: At most this many.
            after: Cursor, for newer ones only.
        """
        return Query(
            tenant=tenant,
            action=self.asked.get("action"),
            guard=self.asked.get("guard"),
            code=self.asked.get("code"),
            text=self.text or None,
            since=self.since or (None if self.until else self.begin),
            until=self.until,
            door=self.asked.get("door"),
            before=None if after is not None else self.before,
            after=after,
            limit=limit,
        )


def asked_in(query: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an address that ask for something."""
    given = {name: query.get(name, "").strip() for name in FIELDS}
    return {name: value for name, value in given.items() if value}


def cursor_in(query: Mapping[str, str], name: str) -> str | None:
    """Return the cursor of an address; None for one that no store can have given."""
    said = query.get(name, "")
    return said if said and _CURSOR.fullmatch(said) else None


def _begin(span: str | None, now: datetime) -> datetime | None:
    if span is None:
        return None
    lengths = {known.name: known.length for known in SPANS}
    if span not in lengths:
        raise BadFilter(_BAD_SPAN)
    return now - lengths[span]


def _moment(said: str | None, now: datetime) -> datetime | None:
    if said is None:
        return None
    try:
        return moment(said, now)
    except UnknownMoment as unknown:
        raise BadFilter(_BAD_TIME) from unknown
