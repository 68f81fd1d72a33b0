"""The endpoint `/v1/completions`: reading its requests, and its replies as those of chats."""

from proxy.openai_api.completions.endpoint import CompletionsEndpoint

__all__ = ["CompletionsEndpoint"]
