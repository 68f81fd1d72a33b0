"""How the shared Redis may be named, and what is said of an address that cannot be used."""

from urllib.parse import quote

import pytest
from redis.asyncio.connection import parse_url

from proxy.redis_address import BadRedisAddress, RedisAddress, RedisKind, trusting
from proxy.shared_redis import SharedRedis

WORD = "s3cr3t-w0rd"

TAKEN = [
    pytest.param(
        "redis://127.0.0.1:6379/0",
        RedisAddress(RedisKind.SERVER, (), "", "redis://127.0.0.1:6379/0"),
        id="server",
    ),
    pytest.param(
        "unix:///run/r.sock",
        RedisAddress(RedisKind.SERVER, (), "", "unix:///run/r.sock"),
        id="socket",
    ),
    pytest.param(
        "redis+sentinel://a:1,b/guard",
        RedisAddress(RedisKind.SENTINEL, (("a", 1), ("b", 26379)), "guard", "redis://one/0"),
        id="sentinels-and-their-usual-port",
    ),
    pytest.param(
        f"rediss+sentinel://us%40er:{WORD}@a:1/guard/3?ssl_ca_certs=/ca.pem",
        RedisAddress(
            RedisKind.SENTINEL,
            (("a", 1),),
            "guard",
            f"rediss://us%40er:{WORD}@one/3?ssl_ca_certs=/ca.pem",
        ),
        id="sentinels-with-all-there-is",
    ),
    pytest.param(
        f"redis+cluster://:{WORD}@a:1,[::1]:2,b",
        RedisAddress(
            RedisKind.CLUSTER,
            (("a", 1), ("::1", 2), ("b", 6379)),
            "",
            f"redis://:{WORD}@one/0",
        ),
        id="cluster",
    ),
    pytest.param(
        "rediss+cluster://a:1/0",
        RedisAddress(RedisKind.CLUSTER, (("a", 1),), "", "rediss://one/0"),
        id="cluster-with-the-only-database-it-has",
    ),
]


@pytest.mark.parametrize(("address", "taken"), TAKEN)
def test_an_address_is_taken_apart(address: str, taken: RedisAddress) -> None:
    assert RedisAddress.of(address) == taken
    SharedRedis.check(address.replace("ssl_ca_certs=/ca.pem", "ssl_check_hostname=false"))


CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAa+/=\n-----END CERTIFICATE-----\n"
TRUSTED = "ssl_ca_data=" + quote(CERTIFICATE)
TRUSTING = [
    pytest.param("rediss://a:1/0", f"rediss://a:1/0?{TRUSTED}", id="server"),
    pytest.param(
        "rediss+cluster://a:1?protocol=3",
        f"rediss+cluster://a:1?protocol=3&{TRUSTED}",
        id="cluster-with-another-option",
    ),
    pytest.param(
        "rediss+sentinel://a:1/guard?",
        f"rediss+sentinel://a:1/guard?{TRUSTED}",
        id="sentinels-with-no-option",
    ),
    pytest.param("redis+sentinel://a:1/guard", None, id="without-tls"),
    pytest.param("rediss://a:1?ssl_ca_certs=/other.pem", None, id="that-names-a-file"),
    pytest.param("rediss://a:1?ssl_ca_path=/etc/ssl", None, id="that-names-a-folder"),
]


@pytest.mark.parametrize(("address", "with_trust"), TRUSTING)
def test_an_authority_of_ones_own_is_trusted_if_the_address_names_none(
    address: str, with_trust: str | None
) -> None:
    given = trusting(address, CERTIFICATE)

    assert given == (with_trust or address)
    if with_trust:
        known = dict(parse_url(RedisAddress.of(given).server_url))
        assert known["ssl_ca_data"] == CERTIFICATE


REFUSED = [
    pytest.param(f"redis+sentinel://:{WORD}@a:1", "names no service", id="no-service"),
    pytest.param(
        f"redis+sentinel://:{WORD}@a:1/guard/x", "not followed by the number", id="no-database"
    ),
    pytest.param(f"redis+sentinel://:{WORD}@a:0/guard", "host:port", id="no-port"),
    pytest.param(f"redis+sentinel://:{WORD}@a:1,,b/guard", "host:port", id="no-host"),
    pytest.param(f"redis+sentinel://:{WORD}@:1/guard", "host:port", id="port-alone"),
    pytest.param(f"redis+cluster://:{WORD}@a:1/2", "no databases", id="cluster-database"),
    pytest.param(f"redis+cluster://:{WORD}@a:70000", "host:port", id="port-too-high"),
    pytest.param(f"redis+elsewhere://:{WORD}@a:1", "not of the form", id="unknown-kind"),
    pytest.param(f"redis+cluster://:{WORD}@a@b:1", "not of the form", id="two-users"),
    pytest.param(f"redis://:{WORD}@a:port/0", "not a usable", id="server-port"),
    pytest.param(f"redis://:{WORD}@a/0?unknown=1", "not a usable", id="unknown-option"),
    pytest.param(f"redis://:{WORD}@a/0?socket_timeout=long", "not a usable", id="option-value"),
    pytest.param(f"rediss://:{WORD}@a/0?ssl_cert_reqs=perhaps", "not a usable", id="tls-option"),
    pytest.param(f"redis+sentinel://:{WORD}@a/s?unknown=1", "not a usable", id="of-a-sentinel"),
    pytest.param(f"redis+cluster://:{WORD}@a?unknown=1", "not a usable", id="of-a-cluster"),
]


@pytest.mark.parametrize(("address", "said"), REFUSED)
def test_what_cannot_be_used_is_refused_without_a_word_of_it(address: str, said: str) -> None:
    with pytest.raises(BadRedisAddress, match=said) as refused:
        SharedRedis.check(address)

    assert WORD not in str(refused.value)
    assert refused.value.__cause__ is None
