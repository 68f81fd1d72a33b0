"""What a user would put in this place instead, measured beside this proxy."""

from tests.bench.peers.lite_llm import LiteLLM
from tests.bench.peers.portkey import Portkey
from tests.bench.subjects import Subject


def peers() -> tuple[Subject, ...]:
    """Return every peer in the order of the table."""
    return (
        LiteLLM("LiteLLM", workers=1, guarded=False),
        LiteLLM("LiteLLM, hook", workers=1, guarded=True),
        LiteLLM("LiteLLM, 4 workers", workers=4, guarded=False),
        LiteLLM("LiteLLM, hook, 4 workers", workers=4, guarded=True),
        Portkey("Portkey", guarded=False),
        Portkey("Portkey, regex guard", guarded=True),
        Portkey("Portkey, 4 workers", guarded=False, workers=4),
    )
