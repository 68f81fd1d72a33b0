"""`shadow_policy`: which policy is tried on a policy's requests."""

import pickle

import pytest

from guards.core.exchange import Exchange
from policies.schema.base import Mode, PolicyError
from policies.schema.loader import load_shipped, load_text
from tests.policies.conftest import Folder
from tests.policies.test_loader import SERVING

_EXCHANGE = Exchange("연차는 며칠인가요?")
QUIET = "extends: {}\nguards: {{korean_only: {{mode: off}}}}\n"


def test_a_file_beside_it_is_tried_with_what_it_inherits(folder: Folder) -> None:
    folder.write("acme.yaml", f"tenant: acme\nshadow_policy: next{SERVING}")
    path = folder.write("next.yaml", QUIET.format("acme"))

    policies = folder.load()

    shadow = policies["acme"].shadow
    assert shadow is not None
    assert (shadow.name, shadow.path) == ("next", str(path))
    assert shadow.policy.guards["korean_only"].mode is Mode.OFF
    assert shadow.version == policies["next"].version
    assert shadow.templates.reply("korean_only", (), _EXCHANGE).template == "fallback"


def test_a_shipped_policy_can_be_tried(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default\nshadow_policy: strict")

    shadow = folder.load()["acme"].shadow

    assert shadow is not None
    assert shadow.version == load_shipped("strict").version


def test_without_one_nothing_is_tried(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default")

    assert folder.load()["acme"].shadow is None


def test_what_is_tried_tries_nothing_itself(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default\nshadow_policy: next")
    folder.write("next.yaml", "extends: default\nshadow_policy: strict")

    policies = folder.load()

    shadow = policies["acme"].shadow
    assert shadow is not None
    assert shadow.shadow is None
    assert policies["next"].shadow is not None


def test_what_inherits_its_own_name_is_not_tried_on_itself(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default\nshadow_policy: next")
    folder.write("next.yaml", "extends: acme")

    assert folder.load()["next"].shadow is None


def test_what_is_tried_is_part_of_what_tells_versions_apart(folder: Folder) -> None:
    """So that a reload puts it into force."""
    folder.write("acme.yaml", "extends: default\nshadow_policy: next")
    folder.write("next.yaml", "extends: default")
    before = folder.load()["acme"]

    folder.write("next.yaml", "extends: default\nreport: true")

    assert folder.load()["acme"] != before


def test_a_draft_can_be_tried_on(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default")

    draft = load_text("extends: default\nshadow_policy: acme", "draft", folder.path)

    assert draft.shadow is not None
    assert draft.shadow.name == "acme"


def test_both_travel_to_another_process(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default\nshadow_policy: strict")
    sent = folder.load()["acme"]

    arrived = pickle.loads(pickle.dumps(sent))

    assert arrived == sent
    assert arrived.shadow == sent.shadow
    assert arrived.templates.reply("numbers", (), _EXCHANGE) == sent.templates.reply(
        "numbers", (), _EXCHANGE
    )


# --- what cannot be ------------------------------------------------------------------------------


def test_a_name_of_nothing_is_refused_with_what_was_meant(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default\nshadow_policy: strct")

    [error] = folder.errors()

    assert error == (
        "acme.yaml:2:1: shadow_policy: there is no policy 'strct'; did you mean 'strict'?"
    )


def test_a_policy_cannot_be_tried_on_itself(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default\nshadow_policy: acme")

    [error] = folder.errors()

    assert error == (
        "acme.yaml:2:1: shadow_policy: is this policy itself, which has nothing to show"
    )


def test_a_broken_file_cannot_be_tried_and_is_named_once(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default\nshadow_policy: next")
    folder.write("next.yaml", "extends: default\nguards: {numbers: {mode: loud}}")

    [error] = folder.errors()

    assert error.startswith("next.yaml:2:20: guards.numbers.mode: ")


def test_what_lacks_a_reply_for_a_guard_cannot_be_tried(folder: Folder) -> None:
    """Alone it may: it is there to be extended by tenants that have the reply."""
    folder.write("next.yaml", "guards: {numbers: {mode: enforce}}")
    assert folder.errors() == []

    folder.write("acme.yaml", "extends: default\nshadow_policy: next")

    [stream, guard] = folder.errors()
    assert stream.startswith("next.yaml:1:1: stream.mode: ")
    assert guard.startswith("next.yaml:1:10: guards.numbers: ")


def test_a_draft_with_a_broken_one_to_try_is_refused(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: default")

    with pytest.raises(PolicyError, match="there is no policy 'nothing'"):
        load_text("extends: default\nshadow_policy: nothing", "draft", folder.path)
