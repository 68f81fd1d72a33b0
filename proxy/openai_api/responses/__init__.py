"""The endpoint `/v1/responses`: reading its requests and replies, and writing replies."""

from proxy.openai_api.coverage import RESPONSES as COVERAGE
from proxy.openai_api.responses.endpoint import ResponsesEndpoint

__all__ = ["COVERAGE", "ResponsesEndpoint"]
