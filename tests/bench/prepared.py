"""The bytes of requests, prepared: only the seed and the stamp of the sources are put in later."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from pydantic import JsonValue

from tests.bench.corpus import STAMP, Case
from tests.bench.subjects import MODEL

SEED_DIGITS = 15
_SERIAL = 10**9
_CASE = 10**5
_SEED = b"9" * SEED_DIGITS
_STAMP = STAMP.encode()
_RULES = (
    "당신은 회사 규정을 안내하는 상담원입니다. 아래 참고 자료에 있는 내용만 근거로 답하고, "
    "문장마다 근거가 된 자료의 번호를 [1]처럼 적어 주세요.\n\n참고 자료:\n\n"
)


class Way(IntEnum):
    """How the model server replies."""

    PLAIN = 1
    SLOW = 2
    """Plain, after 100 ms."""
    STREAM = 3
    """100 chunks, all at once."""
    PACED = 4
    """100 chunks, 10 ms apart."""
    IDLE = 5
    """A stream that says one word and then nothing."""

    @property
    def streams(self) -> bool:
        return self >= Way.STREAM


@dataclass(frozen=True, slots=True)
class Seed:
    """What the upstream learns from a request's ``seed``: every request has one of its own."""

    way: Way
    case: int
    serial: int

    @property
    def number(self) -> int:
        return (self.way * _CASE + self.case) * _SERIAL + self.serial

    @classmethod
    def read(cls, number: int) -> "Seed":
        rest, serial = divmod(number, _SERIAL)
        way, case = divmod(rest, _CASE)
        return cls(Way(way), case, serial)


def messages(case: Case) -> list[JsonValue]:
    """Return the chat as a RAG app writes it, with numbered sources in the system message."""
    sources = "\n\n".join(
        f"[{number}] {source.title}\n{source.text}"
        for number, source in enumerate(case.sources, start=1)
    )
    return [
        {"role": "system", "content": _RULES + sources},
        {"role": "user", "content": case.question},
    ]


class Prepared:
    """A request for one case, all but its seed."""

    def __init__(
        self, case: Case, number: int, way: Way, path: str, headers: Mapping[str, str]
    ) -> None:
        self._way = way
        self._case = number
        body = json.dumps(
            {
                "model": MODEL,
                "messages": messages(case),
                "seed": int(_SEED),
                "stream": way.streams,
            },
            ensure_ascii=False,
        ).encode()
        lines = {
            "host": "127.0.0.1",
            "accept": "*/*",
            "content-type": "application/json",
            "content-length": str(len(body)),
        } | {name.lower(): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        whole = f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body
        self._before, self._after = whole.split(_SEED)

    def filled(self, serial: int, *, new_sources: bool) -> tuple[int, bytes]:
        """Return the number of the seed, and the request; nobody has seen ``new_sources``."""
        number = Seed(self._way, self._case, serial).number
        before = self._before
        if new_sources:
            before = before.replace(_STAMP, b"%09d" % serial)
        return number, before + b"%d" % number + self._after
