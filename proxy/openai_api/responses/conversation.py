"""A request as the messages of a chat completion, in which question and sources are looked for.

What a tool brought is a tool's message, whoever ran it: the results of functions, of file search,
of MCP servers and of the code interpreter.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from guards.core.exchange import Source
from proxy.openai_api.chat.endpoint import HEADING, with_citing_prompt
from proxy.openai_api.json_body import JsonObject, member, objects, with_note
from proxy.openai_api.responses.output import MESSAGE

_NOT_TEXT = {
    "input_image": "image_parts",
    "input_file": "file_parts",
    "input_audio": "audio_parts",
    "computer_screenshot": "image_parts",
}


def messages_of(body: JsonObject) -> list[JsonValue]:
    """Return the messages of a request: its instructions, then its input."""
    messages: list[JsonValue] = []
    if body.get("instructions"):
        messages.append({"role": "system", "content": body["instructions"]})
    given = body.get("input")
    if isinstance(given, str):
        messages.append({"role": "user", "content": given})
    for item in objects(given):
        messages += _messages(item)
    return messages


def is_reference(item: JsonObject) -> bool:
    """Tell whether an item only names one that the model server keeps."""
    kind = item.get("type")
    return kind == "item_reference" or (kind is None and "role" not in item and "id" in item)


def not_text_in(items: Sequence[JsonObject]) -> Iterator[str]:
    """Yield the names of what input items carry that no guard can look at."""
    for item in items:
        kind = item.get("type", MESSAGE)
        if kind == "compaction":
            yield "compacted_turns"
        elif not isinstance(kind, str) or kind not in _KNOWN:
            yield "unknown_items"
        inner = [item.get("output")] if isinstance(item.get("output"), dict) else item.get("output")
        for part in [*objects(item.get("content")), *objects(inner)]:
            name = _NOT_TEXT.get(str(part.get("type")))
            if name:
                yield name


def _messages(item: JsonObject) -> Iterator[JsonObject]:
    if "role" in item and item.get("type", MESSAGE) == MESSAGE:
        yield {"role": item["role"], "content": item.get("content")}
        return
    kind = str(item.get("type"))
    if kind in _CALLED:
        yield _call(item, item.get(_CALLED[kind]))
    read = _RESULTS.get(kind)
    if read is not None:
        result = read(item)
        if result is not None:
            yield _result(item, result)


def _call(item: JsonObject, arguments: JsonValue | None) -> JsonObject:
    function: JsonObject = {"name": item.get("name"), "arguments": arguments}
    call: JsonObject = {"id": item.get("call_id"), "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result(item: JsonObject, content: JsonValue) -> JsonObject:
    call = item.get("call_id") or item.get("id")
    message: JsonObject = {"role": "tool", "tool_call_id": call, "content": content}
    name = item.get("name")
    return message | {"name": name} if isinstance(name, str) else message


def _output(item: JsonObject) -> JsonValue:
    return item.get("output")


def _found_files(item: JsonObject) -> JsonValue:
    found = item.get("results")
    return json.dumps(found, ensure_ascii=False) if isinstance(found, list) else None


def _logs(item: JsonObject) -> JsonValue:
    logs = (member(output, "logs") for output in objects(item.get("outputs")))
    return "\n".join(log for log in logs if isinstance(log, str)) or None


def _printed(item: JsonObject) -> JsonValue:
    printed = (member(output, "stdout") for output in objects(item.get("output")))
    return "\n".join(text for text in printed if isinstance(text, str)) or None


_CALLED = {"function_call": "arguments", "custom_tool_call": "input"}
_RESULTS: Mapping[str, Callable[[JsonObject], JsonValue]] = {
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "local_shell_call_output": _output,
    "apply_patch_call_output": _output,
    "shell_call_output": _printed,
    "mcp_call": _output,
    "file_search_call": _found_files,
    "code_interpreter_call": _logs,
    "program_output": lambda item: item.get("result"),
}
_SILENT = frozenset(
    "message reasoning item_reference web_search_call image_generation_call computer_call "
    "computer_call_output local_shell_call shell_call apply_patch_call mcp_list_tools "
    "mcp_approval_request mcp_approval_response tool_search_call tool_search_output "
    "additional_tools configuration_update compaction compaction_trigger program".split()
)
_KNOWN = _SILENT | _CALLED.keys() | _RESULTS.keys()


def prompted(body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
    """Return the body with the citation prompt in its instructions; None if none is to be added."""
    instructions: JsonObject = {"role": "system", "content": body.get("instructions") or ""}
    said = messages_of(body | {"instructions": None})
    messages = with_citing_prompt([instructions, *said], sources)
    return None if messages is None else body | {"instructions": member(messages[0], "content")}


def as_asked(response: JsonObject, asked: JsonObject) -> JsonObject:
    """Return a response that says the caller's own instructions once more, not ours."""
    instructions = response.get("instructions")
    if isinstance(instructions, str) and HEADING in instructions:
        return response | {"instructions": asked.get("instructions")}
    return response


def noted(body: JsonObject, note: str) -> JsonObject:
    """Return the body with a note at the end of the last user turn."""
    given = body.get("input")
    if isinstance(given, str):
        return body | {"input": f"{given}\n\n{note}"}
    turns = given if isinstance(given, list) else []
    return body | {"input": with_note(turns, note, "input_text")}
