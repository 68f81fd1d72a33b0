"""The endpoint `/v1/completions`: reading its requests and replies, and writing replies."""

from proxy.openai_api.completions.coverage import COVERAGE
from proxy.openai_api.completions.endpoint import CompletionsEndpoint

__all__ = ["COVERAGE", "CompletionsEndpoint"]
