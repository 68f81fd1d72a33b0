"""Headers of every reply of the dashboard."""

from types import MappingProxyType

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
SAFE_HEADERS = MappingProxyType(
    {
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
        # Not `no-referrer`: it would hide the origin that tells our own forms from others'.
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-robots-tag": "noindex",
        "cache-control": "no-store",
    }
)
"""What a reply says unless it says otherwise."""
