"""How true model servers and judges are told from false ones."""

import ssl
from functools import cache

import httpx


@cache
def trusted() -> ssl.SSLContext:
    """Return the rules of our connections: certifi's certificates, none of the environment's.

    They are read once, as that takes 20 ms and every client may use the same.
    """
    return httpx.create_ssl_context(trust_env=False)
