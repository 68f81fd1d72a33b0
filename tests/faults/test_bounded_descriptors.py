"""The service takes as many connections as the system lets it have, and says where they are few."""

import resource
from collections.abc import Generator

import pytest

from proxy.cli.serve import raise_descriptor_limit
from proxy.settings import Settings
from tests.fakes.log_lines import json_logs

FEW = 256


@pytest.fixture
def hard() -> Generator[int, None, None]:
    """Begin with few, as many systems let a process do; return how many there may be."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, before[1]))
    yield before[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_all_that_may_be_had_are_taken(hard: int, capsys: pytest.CaptureFixture[str]) -> None:
    with json_logs():
        raise_descriptor_limit(Settings(max_connections=10, max_upstream_connections=10))

    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    assert capsys.readouterr().out == ""


def test_too_few_for_all_connections_are_logged(
    hard: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with json_logs():
        raise_descriptor_limit(Settings(max_connections=hard, max_upstream_connections=10))

    assert "service.few_descriptors" in "".join(capsys.readouterr())
