"""The wire to model servers and judges: httpx's interface over aiohttp's connections.

httpx's own transport costs about ten times what aiohttp's does. The `httpx-aiohttp` package
joins the two as well, but it writes the address anew, so that a query may leave in other bytes; it
joins several headers of one name; and it reports a connection that broke as one that took too long
to open. Nothing is added to a request here and nothing is taken from a reply: no header, no cookie,
no redirect, no decoding.
"""
