"""Who is one caller, where wrong keys are counted by address."""

import time

import pytest

from proxy.limits.wrong_keys import MOST_WRONG, WrongKeys

ONE_CALLER = [
    pytest.param("203.0.113.7", "203.0.113.7", id="same-address"),
    pytest.param("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", id="same-network-of-one-customer"),
    pytest.param("::ffff:203.0.113.7", "203.0.113.7", id="the-older-address-within-the-newer"),
    pytest.param("fe80::1%eth0", "fe80::2%eth0", id="same-link"),
    pytest.param("", "words", id="no-address"),
]
TWO_CALLERS = [
    pytest.param("203.0.113.7", "203.0.113.8", id="two-addresses"),
    pytest.param("2001:db8:1:2::1", "2001:db8:1:3::1", id="two-networks"),
    pytest.param("::ffff:203.0.113.7", "::ffff:203.0.113.8", id="two-older-within-the-newer"),
]


async def wait_s(wrong: str, address: str) -> int:
    """Return how long one address has to wait after as many wrong keys as may be of another."""
    counted = WrongKeys()
    for _ in range(MOST_WRONG):
        await counted.note(wrong)
    return await counted.wait_s(address, time.time())


@pytest.mark.parametrize(("wrong", "address"), ONE_CALLER)
async def test_an_address_that_a_caller_has_for_nothing_is_no_other_caller(
    wrong: str, address: str
) -> None:
    assert await wait_s(wrong, address) > 0


@pytest.mark.parametrize(("wrong", "address"), TWO_CALLERS)
async def test_nobody_waits_for_what_another_did(wrong: str, address: str) -> None:
    assert await wait_s(wrong, address) == 0
