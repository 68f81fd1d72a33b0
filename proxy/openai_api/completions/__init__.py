"""The endpoint `/v1/completions`: reading its requests and replies, and writing replies."""

from proxy.openai_api.completions.endpoint import CompletionsEndpoint
from proxy.openai_api.coverage import COMPLETIONS as COVERAGE

__all__ = ["COVERAGE", "CompletionsEndpoint"]
