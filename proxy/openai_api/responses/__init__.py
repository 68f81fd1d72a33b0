"""The endpoint `/v1/responses`: reading its requests and replies, and writing replies."""

from proxy.openai_api.responses.coverage import COVERAGE
from proxy.openai_api.responses.endpoint import ResponsesEndpoint

__all__ = ["COVERAGE", "ResponsesEndpoint"]
