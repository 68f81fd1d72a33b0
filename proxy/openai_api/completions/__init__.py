"""The door `/v1/completions`: reading its requests and replies, and writing replies."""

from proxy.openai_api.completions.coverage import COVERAGE
from proxy.openai_api.completions.door import CompletionsDoor

__all__ = ["COVERAGE", "CompletionsDoor"]
