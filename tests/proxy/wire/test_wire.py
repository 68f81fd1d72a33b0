"""How what is written of a reply goes over a connection."""

import asyncio
from collections.abc import Callable, Iterable
from typing import cast

import pytest

from proxy.server.http_protocol import ClientConnection

HEAD, BODY = b"HTTP/1.1 200 OK\r\n\r\n", b"{}"


class Connection:
    """A connection that notes each call that it is written to with."""

    def __init__(self) -> None:
        self.calls: list[bytes] = []
        self.closed = False

    def write(self, said: bytes) -> None:
        self.calls.append(said)

    def writelines(self, pieces: Iterable[bytes]) -> None:
        self.calls.append(b"".join(pieces))

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


class Turns:
    """A loop whose turns come when they are called for."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], None]] = []

    def soon(self, then: Callable[[], None]) -> None:
        self._waiting.append(then)

    def turn(self) -> None:
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()


@pytest.fixture
def connection() -> Connection:
    return Connection()


@pytest.fixture
def turns() -> Turns:
    return Turns()


@pytest.fixture
def wire(connection: Connection, turns: Turns) -> ClientConnection:
    made = ClientConnection(cast("asyncio.Transport", connection), connection.close, turns.soon)
    made.begin()
    return made


def test_a_head_leaves_together_with_the_body_behind_it(
    wire: ClientConnection, connection: Connection, turns: Turns
) -> None:
    wire.write(HEAD)
    wire.write(BODY)
    turns.turn()

    assert connection.calls == [HEAD + BODY]


def test_a_head_waits_for_no_more_than_a_turn(
    wire: ClientConnection, connection: Connection, turns: Turns
) -> None:
    wire.write(HEAD)
    assert connection.calls == []

    turns.turn()
    wire.write(BODY)

    assert connection.calls == [HEAD, BODY]


def test_pieces_behind_the_first_leave_at_once(
    wire: ClientConnection, connection: Connection
) -> None:
    for piece in (HEAD, b"1", b"2", b"3"):
        wire.write(piece)

    assert connection.calls == [HEAD + b"1", b"2", b"3"]


def test_each_reply_has_a_head_of_its_own(
    wire: ClientConnection, connection: Connection, turns: Turns
) -> None:
    for _ in range(2):
        wire.begin()
        wire.write(HEAD)
        wire.write(BODY)
        turns.turn()

    assert connection.calls == [HEAD + BODY] * 2


def test_a_head_leaves_before_the_connection_is_closed(
    wire: ClientConnection, connection: Connection
) -> None:
    wire.write(HEAD)
    wire.close()

    assert connection.calls == [HEAD]
    assert connection.closed


def test_nothing_is_written_to_a_connection_that_is_closing(
    wire: ClientConnection, connection: Connection, turns: Turns
) -> None:
    wire.write(HEAD)
    connection.close()
    turns.turn()

    assert connection.calls == []


def test_nothing_is_written_once_the_connection_is_lost(
    wire: ClientConnection, connection: Connection, turns: Turns
) -> None:
    wire.write(HEAD)
    wire.let_go()
    turns.turn()
    wire.close()

    assert connection.calls == []
    assert not connection.closed
