import hashlib
import hmac
import re

import pytest

from policies.schema.keys import matching, new_key, salted_hash, tenant_named_by
from policies.schema.policy import KEY_HASH, Policy
from tests.tables import each_row


def test_a_key_names_its_tenant_and_carries_256_random_bits() -> None:
    key, _ = new_key("acme-bot")

    assert re.fullmatch(r"gp-acme-bot-[A-Za-z0-9_-]{43}", key)


def test_the_hash_is_what_a_policy_file_takes() -> None:
    key, hashed = new_key("acme")

    assert re.fullmatch(KEY_HASH, hashed)
    assert Policy(tenant="acme", keys=(hashed,)).keys == (hashed,)
    assert matching(key, [new_key("acme")[1], hashed]) == hashed
    assert tenant_named_by(key) == "acme"


def test_a_hash_is_salted() -> None:
    key, hashed = new_key("acme")
    kind, salt, digest = hashed.split(":")

    assert kind == "hmac"
    assert digest == hmac.new(bytes.fromhex(salt), key.encode(), hashlib.sha256).hexdigest()
    assert salted_hash(key, "00" * 16) != hashed
    assert key not in hashed


def test_another_key_matches_nothing() -> None:
    key, hashed = new_key("acme")
    stored = [hashed, new_key("acme")[1]]

    for other in (key[:-1], f"{key}x", hashed, "", "gp-acme-", "열쇠"):
        assert matching(other, stored) is None
    assert matching(key, []) is None


def test_a_key_that_was_not_made_here_names_nobody() -> None:
    assert tenant_named_by("sk-1234") is None


def test_no_two_keys_are_alike() -> None:
    assert len({new_key("acme")[0] for _ in range(100)}) == 100


@each_row("name", "a_name_that_no_policy_may_carry_gets_no_key")
def test_a_name_that_no_policy_may_carry_gets_no_key(name: str) -> None:
    with pytest.raises(ValueError, match="tenant's name"):
        new_key(name)
