"""Address of the shared Redis: one server, or a server behind Sentinels.

The forms are those of the field (Django, Celery and others spell them so)::

    redis://[user:password@]host[:port][/db]                        rediss:// for TLS
    unix:///path/of/the/socket
    redis+sentinel://[user:password@]host[:port],…/service[/db]     rediss+sentinel://

User and password are the servers'; those of the Sentinels are the options ``sentinel_username`` and
``sentinel_password`` behind a ``?``, where the options of the Redis library may stand too. Nothing
in here says a word of what it was given: there may be a password in it.
"""

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, quote

_FORM = re.compile(r"(rediss?)\+sentinel://(?:([^@/?#]*)@)?([^@/?#]*)(/[^?#]*)?(\?[^#]*)?")
_SENTINEL_PORT = 26379
_NODE = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]\s]+)(?::(\d{1,5}))?")


class BadRedisAddress(ValueError):
    """An address that cannot be used; ``said`` does not quote it."""


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """An address, taken apart.

    Attributes:
        nodes: Host and port of each Sentinel; none of one server.
        service: The name by which Sentinels know the servers.
        server_url: What the Redis library reads user, password, database and options from; of one
            server the address as it was given.
    """

    nodes: tuple[tuple[str, int], ...]
    service: str
    server_url: str

    @classmethod
    def of(cls, address: str) -> "RedisAddress":
        """Take an address apart.

        Raises:
            BadRedisAddress: Sentinels are not named as they have to be, or it is a Cluster.
        """
        scheme, _, _ = address.partition("://")
        if scheme in {"redis+cluster", "rediss+cluster"}:
            raise BadRedisAddress(
                "a Redis Cluster is not supported any more; name one server, or Sentinels"
            )
        if "+" not in scheme:
            return cls((), "", address)
        form = _FORM.fullmatch(address)
        if form is None:
            raise BadRedisAddress("not of the form redis+sentinel://…")
        scheme, user, hosts, path, options = form.groups(default="")
        nodes = tuple(map(_node, hosts.split(",")))
        service, database = _path(path.strip("/"))
        user = f"{user}@" if user else ""
        return cls(nodes, service, f"{scheme}://{user}one/{database}{options}")


def trusting(address: str, certificates: str) -> str:
    """Return an address by which servers are trusted for whom certificates vouch.

    Args:
        address: The address; one without TLS, or that says itself who vouches, stays as it is.
        certificates: What is trusted beside the system's certificates, as PEM.
    """
    scheme, _, _ = address.partition("://")
    _, _, options = address.partition("?")
    says_itself = any(name.startswith("ssl_ca_") for name in parse_qs(options))
    if says_itself or not scheme.startswith("rediss"):
        return address
    joined = "&" if options else "?"
    # The text and no name of a file: connections are made as long as the service runs.
    return f"{address.removesuffix('?')}{joined}ssl_ca_data={quote(certificates)}"


def _node(said: str) -> tuple[str, int]:
    form = _NODE.fullmatch(said.strip())
    if form is None or not 0 < (port := int(form[2] or _SENTINEL_PORT)) < 65536:
        raise BadRedisAddress("its hosts are not of the form host:port,host:port")
    return form[1].strip("[]"), port


def _path(path: str) -> tuple[str, str]:
    """Return the service and the database that a path names."""
    service, _, database = path.partition("/")
    if not service:
        raise BadRedisAddress("it names no service of the Sentinels: …host:port/service")
    if database and not database.isdecimal():
        raise BadRedisAddress("the service is not followed by the number of a database")
    return service, database or "0"
