"""The section `limits` of a policy."""

from policies.schema.loader import load_shipped
from policies.schema.sections import Limits
from tests.policies.conftest import Folder
from tests.tables import each_row


@each_row("shipped", ["default", "strict"])
def test_without_a_word_there_is_no_limit(shipped: str) -> None:
    limits = load_shipped(shipped).policy.limits

    assert limits == Limits(requests_per_minute=None, concurrent_requests=None)
    assert not limits.are_set


@each_row("one", ["requests_per_minute", "concurrent_requests"])
def test_one_number_is_a_limit(one: str) -> None:
    assert Limits.model_validate({one: 1}).are_set


def test_a_policy_takes_over_what_it_does_not_name(folder: Folder) -> None:
    folder.write("base.yaml", "limits: {requests_per_minute: 60, concurrent_requests: 4}")
    folder.write("child.yaml", "extends: base\nlimits: {concurrent_requests: null}")

    assert folder.load()["child"].policy.limits == Limits(
        requests_per_minute=60, concurrent_requests=None
    )


@each_row("line, key", "odd")
def test_what_is_no_limit_is_refused_by_its_name(folder: Folder, line: str, key: str) -> None:
    folder.write("app.yaml", f"limits:\n  {line}\n")

    assert folder.only_error().startswith("app.yaml:2:3: limits." + key)
