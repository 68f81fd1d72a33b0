"""The parts of uvicorn and httptools that `proxy/server` builds on, by name.

None of them is promised by its project. A newer release may be taken once this test and
`test_http_protocol.py` pass with it, and its changes to these parts have been read.
"""

import asyncio
import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path

import httptools
import uvicorn
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"

METHODS: dict[type, dict[str, str]] = {
    HttpToolsProtocol: {
        "__init__": "config server_state app_state _loop",
        "connection_made": "transport",
        "connection_lost": "exc",
        "data_received": "data",
        "on_message_begin": "",
        "on_url": "url",
        "on_header": "name value",
        "on_headers_complete": "",
        "on_body": "body",
        "on_message_complete": "",
        "on_response_complete": "",
        "resume_writing": "",
        "shutdown": "",
        "_start_asgi_task": "cycle app",
        "_unset_keepalive_if_required": "",
    },
    FlowControl: {"resume_reading": ""},
    uvicorn.Server: {
        "capture_signals": "",
        "startup": "sockets",
        "main_loop": "",
        "on_tick": "counter",
        "shutdown": "sockets",
        "serve": "sockets",
    },
    httptools.HttpRequestParser: {
        "feed_data": "data",
        "get_http_version": "",
        "get_method": "",
        "should_upgrade": "",
    },
}
"""By class: overridden or called methods, each with the names of its parameters."""

PROTOCOL = "cycle flow headers loop parser pipeline scope server_state timeout_keep_alive_task"
CYCLE = (
    "chunked_encoding disconnected expected_content_length message_event more_body"
    " response_complete response_started scope transport"
)
SERVER = "config server_state should_exit"
STATE = "connections default_headers"
FLOW = "read_paused write_paused"
"""Attributes that are read or set, of an instance."""


async def _app(scope: object, receive: object, send: object) -> None:
    """Answer nothing."""


def _changed_methods() -> list[str]:
    changed = []
    for owner, methods in METHODS.items():
        for name, parameters in methods.items():
            method = getattr(owner, name, None)
            if method is None:
                changed.append(f"{owner.__name__}.{name} is gone")
                continue
            found = " ".join(list(inspect.signature(method).parameters)[1:])
            if found != parameters:
                changed.append(f"{owner.__name__}.{name} takes ({found}), not ({parameters})")
    return changed


def _missing(instance: object, names: str) -> list[str]:
    owner = type(instance).__name__
    return [f"{owner}.{name} is gone" for name in names.split() if not hasattr(instance, name)]


def _missing_attributes() -> list[str]:
    state = ServerState()
    config = uvicorn.Config(_app, ws="none", log_config=None)
    with asyncio.Runner() as runner:
        protocol = HttpToolsProtocol(config, state, {}, runner.get_loop())
        flow = FlowControl(asyncio.Transport())
        cycle = RequestResponseCycle(
            scope=protocol.scope,
            transport=asyncio.Transport(),
            flow=flow,
            logger=protocol.logger,
            access_logger=protocol.access_logger,
            access_log=False,
            default_headers=[],
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=True,
            on_response=lambda: None,
        )
    return [
        *_missing(protocol, PROTOCOL),
        *_missing(cycle, CYCLE),
        *_missing(uvicorn.Server(config), SERVER),
        *_missing(state, STATE),
        *_missing(flow, FLOW),
    ]


def test_the_pinned_release_of_uvicorn_is_installed() -> None:
    dependencies = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["dependencies"]

    [pinned] = [one for one in dependencies if one.startswith("uvicorn")]

    assert pinned == f"uvicorn=={version('uvicorn')}", "read how its protocol changed, then pin it"


def test_everything_that_is_relied_on_is_there() -> None:
    changed = [*_changed_methods(), *_missing_attributes()]

    assert not changed, f"uvicorn {version('uvicorn')} does not fit proxy/server/http_protocol.py"


def test_a_parser_tells_where_the_other_protocol_would_begin() -> None:
    head = b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    try:
        httptools.HttpRequestParser(object()).feed_data(head + b"rest")
    except httptools.HttpParserUpgrade as offer:
        end = offer.args[0]

    assert end == len(head)


def test_an_error_raised_in_a_callback_is_the_context_of_the_parsers_own() -> None:
    class Refuses:
        def on_headers_complete(self) -> None:
            raise LookupError

    context = None
    try:
        httptools.HttpRequestParser(Refuses()).feed_data(b"GET / HTTP/1.1\r\n\r\n")
    except httptools.HttpParserError as error:
        context = error.__context__

    assert isinstance(context, LookupError)
