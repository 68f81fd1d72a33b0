"""The door `/v1/responses`: reading its requests and replies, and writing replies."""

from proxy.openai_api.responses.coverage import COVERAGE
from proxy.openai_api.responses.door import ResponsesDoor

__all__ = ["COVERAGE", "ResponsesDoor"]
