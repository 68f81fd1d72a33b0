"""`deploy/compose.yaml` brought up by Docker: replicas, nginx and Redis, without any rights."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import httpx
import pytest

from proxy.cli.demo import the_tour
from proxy.demo import MODEL
from proxy.golden.runner import body_of
from proxy.golden.shape import Case
from proxy.openai_api.json_body import JsonObject
from tests.deploy.containers.engine import (
    IMAGE,
    Services,
    docker,
    eventually,
    exit_status,
    rights,
    services,
    written_outside_volumes,
)

pytestmark = pytest.mark.engine

NO_RIGHTS = {"CapPrm": "0" * 16, "CapEff": "0" * 16, "CapBnd": "0" * 16, "CapAmb": "0" * 16}
SHIPPED = ("proxy", "nginx", "redis")


def request(case: Case) -> JsonObject:
    """Return the body of a case's request."""
    return body_of(the_tour(), case, case.asked[0], (), MODEL)


CLEAN = next(request(case) for case in the_tour().cases if case.id == "clean")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with services(tmp_path_factory.mktemp("deploy")) as running:
        yield running


@pytest.mark.parametrize("service", SHIPPED)
def test_a_service_has_no_rights_and_a_file_system_that_it_cannot_write(
    up: Services, service: str
) -> None:
    for container in up.containers(service):
        found = rights(container)
        assert found["Uid"] != "0"
        assert found.items() >= NO_RIGHTS.items()
        assert (found["NoNewPrivs"], found["Seccomp"]) == ("1", "2")
        refused = docker("exec", container, "sh", "-c", "touch /etc/new 2>&1 || true")
        assert "Read-only file system" in refused


@pytest.mark.parametrize("case", [pytest.param(one, id=one.id) for one in the_tour().cases])
def test_answers_are_guarded(up: Services, case: Case) -> None:
    reply = up.ask(request(case))

    assert reply.status_code == 200
    if case.stream:
        assert reply.text.endswith("data: [DONE]\n\n")
    else:
        assert reply.headers["x-guard-action"] in (case.expected_action or ())


def test_whoever_runs_it_reads_a_trace_and_apps_do_not(up: Services) -> None:
    reply = up.ask(CLEAN)

    eventually(lambda: up.has_trace(reply))
    for path in ("/traces", "/metrics", "/readyz", "/dashboard"):
        assert up.apps.get(path).status_code == 404
    assert "guard_proxy_requests_total" in up.operators.get("/metrics").text


def test_replicas_are_found_by_their_name(up: Services) -> None:
    """Also those that come later: nginx asks the engine's name server again and again."""
    for _ in range(8):
        up.ask(CLEAN)
    assert len(up.replicas_that_replied()) == 2

    up.up("--no-recreate", "--scale", "proxy=3")
    seen = up.lines_of_nginx()

    def all_three_reply() -> bool:
        return up.ask(CLEAN).is_success and len(up.replicas_that_replied(seen)) == 3

    eventually(all_three_reply)


@contextmanager
def asked_all_the_time(up: Services) -> Iterator[list[httpx.Response]]:
    """Ask within this block from four sides; yields what the replies go into."""
    replies: list[httpx.Response] = []
    stopped = Event()

    def ask() -> None:
        while not stopped.is_set():
            replies.append(up.ask_like_a_library(CLEAN))

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        try:
            yield replies
        finally:
            stopped.set()
    for each in asking:
        each.result()


@pytest.fixture
def newer_image() -> Iterator[str]:
    """Another image of the same program."""
    name = f"{IMAGE}-newer"
    docker("build", "--tag", name, "-", stdin=f"FROM {IMAGE}\nLABEL newer=yes\n")
    yield name
    docker("image", "rm", "--force", name)


def test_an_upgrade_loses_no_request(up: Services, newer_image: str) -> None:
    old = up.containers("proxy")
    up.setting("PROXY_IMAGE", newer_image)
    with asked_all_the_time(up) as replies:
        up.up("--no-recreate", "--scale", f"proxy={2 * len(old)}")
        docker("stop", "-t", "345", *old)
        ended = {exit_status(container) for container in old}
        up.compose("rm", "--force")
        up.up("--no-recreate")

    new = up.containers("proxy")
    assert ended == {0}
    assert len(new) == 2
    assert not set(new) & set(old)
    assert len(replies) > 80
    assert [reply.text for reply in replies if not reply.is_success] == []


def test_an_edited_policy_is_read_again(up: Services) -> None:
    def version() -> str:
        return up.ask(CLEAN).headers["x-guard-policy"]

    before = version()
    path = up.folder / "policies" / "hr-policy.yaml"
    path.write_text(path.read_text("utf-8") + "report: true\n", "utf-8")

    eventually(lambda: version() != before)


def test_traces_wait_while_redis_is_away_and_are_kept_when_it_is_back(up: Services) -> None:
    """All replicas let them wait in one file on one volume."""
    early = up.ask(CLEAN)
    eventually(lambda: up.has_trace(early))

    up.compose("stop", "redis")
    meanwhile = [up.ask(CLEAN) for _ in range(12)]
    up.compose("start", "redis")

    assert {reply.status_code for reply in meanwhile} == {200}
    eventually(lambda: all(up.has_trace(reply) for reply in [early, *meanwhile]))


def test_nothing_was_written_but_to_volumes(up: Services) -> None:
    for service in SHIPPED:
        for container in up.containers(service):
            assert written_outside_volumes(container) == ""
