"""The OpenAPI document is true: requests made from it never break the door, and replies fit it."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    negative_data_rejection,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from policies.verification.shape import Verification
from proxy.openai_api.json_body import JsonObject, member
from proxy.routes.service import document
from proxy.verify import VerifyRequest
from tests.fakes.running_proxy import running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream

DOCUMENT = schemathesis.openapi.from_dict(document())
PATHS = ("/v1/verify", "/v1/feedback")
FITTING = {
    path: DOCUMENT[path]["POST"].as_strategy(generation_mode=GenerationMode.POSITIVE)
    for path in PATHS
}
UNFITTING = {
    path: DOCUMENT[path]["POST"].as_strategy(generation_mode=GenerationMode.NEGATIVE)
    for path in PATHS
}
ANSWERED = {"/v1/verify": 200, "/v1/feedback": 404}
"""Nobody has made the request that a feedback is about."""
TRUE_TO_THE_DOCUMENT = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
PATIENT = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@dataclass(frozen=True)
class Door:
    address: str
    key: str

    def call(self, case: Case[Any]) -> schemathesis.Response:
        headers = {"authorization": f"Bearer {self.key}"}
        return case.call(base_url=self.address, headers=headers)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A proxy in a loop of its own, because the requests are not made in one."""
    ready: Future[Door] = Future()
    stop = threading.Event()
    folder = tmp_path_factory.mktemp("schema")
    thread = threading.Thread(target=lambda: asyncio.run(_serve(folder, ready, stop)))
    thread.start()
    try:
        yield ready.result(timeout=60)
    finally:
        stop.set()
        thread.join()


async def _serve(folder: Path, ready: "Future[Door]", stop: threading.Event) -> None:
    try:
        async with (
            ScriptedUpstream().running() as upstream,
            running_proxy(folder, upstream) as proxy,
        ):
            ready.set_result(Door(proxy.address, proxy.key))
            await asyncio.to_thread(stop.wait)
    except Exception as error:  # noqa: BLE001 - whoever waits for it has to learn of it
        ready.set_exception(error)


@pytest.mark.parametrize("path", PATHS)
def test_requests_that_fit_are_answered_as_described(door: Door, path: str) -> None:
    statuses = set()

    @PATIENT
    @given(case=FITTING[path])
    def run(case: Case[Any]) -> None:
        response = door.call(case)
        statuses.add(response.status_code)
        case.validate_response(response, checks=TRUE_TO_THE_DOCUMENT)

    run()
    assert ANSWERED[path] in statuses


@pytest.mark.parametrize("path", PATHS)
def test_requests_that_do_not_fit_are_refused_as_described(door: Door, path: str) -> None:
    @PATIENT
    @given(case=UNFITTING[path])
    def run(case: Case[Any]) -> None:
        response = door.call(case)
        checks = [*TRUE_TO_THE_DOCUMENT, negative_data_rejection]
        case.validate_response(response, checks=checks)

    run()


def test_the_document_is_served(door: Door) -> None:
    reply = httpx.get(f"{door.address}/openapi.json")

    assert reply.status_code == 200
    assert reply.json()["openapi"] == "3.1.0"
    assert list(reply.json()["paths"]) == [
        "/v1/verify",
        "/v1/feedback",
        "/v1/beta/litellm_basic_guardrail_api",
    ]


def test_everything_in_it_is_described() -> None:
    schemas = document()["components"]
    models = member(schemas, "schemas")
    assert isinstance(models, dict)
    assert {"VerifyRequest", "Verification"} <= models.keys()
    undescribed = [
        f"{name}.{field}"
        for name, model in models.items()
        if name != "Error"
        for field, value in _properties(model)
        if not (member(value, "description") or member(value, "$ref"))
    ]
    assert undescribed == []


def _properties(model: object) -> list[tuple[str, JsonObject]]:
    found = model.get("properties") if isinstance(model, dict) else None
    return list(found.items()) if isinstance(found, dict) else []


def test_its_examples_are_requests_and_replies() -> None:
    operation = member(member(document()["paths"], "/v1/verify"), "post")
    asked = _examples(member(operation, "requestBody"))
    answered = _examples(member(member(operation, "responses"), "200"))

    assert len(asked) == 2
    for one in asked:
        VerifyRequest.model_validate(one)
    [reply] = answered
    assert Verification.model_validate(reply).removed_citations == ()


def _examples(described: object) -> list[object]:
    content = described.get("content") if isinstance(described, dict) else None
    media = content["application/json"] if isinstance(content, dict) else {}
    return [example["value"] for example in media["examples"].values()]
