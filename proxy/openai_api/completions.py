"""The endpoint `/v1/completions`: its requests, and the texts of its choices.

Echo is the proxy's own doing: the model server is not asked for it, and the prompt is put before
the answer when it leaves. So nobody has to guess where the prompt ends and the answer begins.

The prompt of an app is a template in one text, such as a context, a question and ``Answer:``. That
is how many apps write the user's turn of a chat, so it is read as one. A prompt that was written
out in a model's own chat format is read turn by turn.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue, StrictBool

from guards.core.exchange import Source
from proxy.errors import BadRequest, UpstreamBroken
from proxy.openai_api.chat.endpoint import ChatEndpoint
from proxy.openai_api.chat.reply import DELTA, MESSAGE, ChatFormat
from proxy.openai_api.coverage import COMPLETIONS as COVERAGE
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.model_request import (
    NOTHING_TOLD,
    CompletionBody,
    ModelRequest,
    read_body,
    validated,
    wants_json,
)
from proxy.openai_api.reply import tokens_before
from proxy.openai_api.sources.lines import Line, Role
from proxy.openai_api.sources.prompt import Prompt
from proxy.openai_api.sse import json_bytes

_OPENER = re.compile(
    r"<\|im_start\|>(?P<chatml>\w{1,20})\n?"
    r"|<\|start_header_id\|>(?P<llama>\w{1,20})<\|end_header_id\|>"
    r"|<start_of_turn>(?P<gemma>\w{1,20})\n?"
    r"|<\|start\|>(?P<harmony>\w{1,20})(?:<\|channel\|>\w{1,20})?<\|message\|>"
    r"|\[\|(?P<exaone>system|user|assistant|tool)\|\]"
    r"|<\|(?P<phi>system|user|assistant|tool)\|>"
    r"|<[|｜](?P<deepseek>User|Assistant)[|｜]>"
    r"|(?P<inst>\[INST\])|(?P<answering>\[/INST\])|(?P<instructing><<SYS>>)|(?P<asking><</SYS>>)"
)
_NAMELESS = {"inst": "user", "answering": "assistant", "instructing": "system", "asking": "user"}
_ANSWERING = frozenset({"assistant", "model"})
_INSTRUCTING = frozenset({"system", "developer"})
_CLOSER = re.compile(
    r"(?:<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|<end_of_turn>|<\|end\|>|\[\|endofturn\|\]|</s>"
    r"|<[|｜]end▁of▁sentence[|｜]>|<s>|\s)+\Z"
)
_BEGINNING = re.compile(
    r"\s*(?:<s>|<bos>|\[BOS\]|<\|begin_of_text\|>|<\|startoftext\|>"
    r"|<[|｜]begin▁of▁sentence[|｜]>)?\s*"
)
_LONGEST_CLOSER_CHARS = 200


# Only a prompt that begins with a marker is one, so no marker amid somebody's question makes
# turns of it. And only the first turn can be the system's: everything behind it may be a user's
# doing.


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn.

    Attributes:
        role: `system`, `user` or `assistant`.
        start: Where its words begin in the prompt.
        end: Where they end.
    """

    role: str
    start: int
    end: int


def read_turns(prompt: str) -> tuple[Turn, ...]:
    """Return the turns that have words; none for a prompt in no chat format."""
    beginning = _BEGINNING.match(prompt)
    first = beginning.end() if beginning else 0
    if not _OPENER.match(prompt, first):
        return ()
    openers = list(_OPENER.finditer(prompt, first))
    ends = [*(opener.start() for opener in openers[1:]), len(prompt)]
    turns: list[Turn] = []
    for opener, outer_end in zip(openers, ends, strict=True):
        start, end = _words(prompt, opener.end(), outer_end)
        if start < end:
            turns.append(Turn(_role(opener, is_first=not turns), start, end))
    return tuple(turns)


def _words(prompt: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of a turn's words, without the space around them and what closes it."""
    tail = max(start, end - _LONGEST_CLOSER_CHARS)
    closer = _CLOSER.search(prompt[tail:end])
    end = tail + closer.start() if closer else end
    lead = len(prompt[start:end]) - len(prompt[start:end].lstrip())
    return start + lead, end


def _role(opener: re.Match[str], *, is_first: bool) -> str:
    style = opener.lastgroup or ""
    named = _NAMELESS.get(style) or opener[style].lower()
    if named in _ANSWERING:
        return "assistant"
    return "system" if is_first and named in _INSTRUCTING else "user"


def conversation(prompt: str) -> list[JsonValue]:
    """Return the messages that a prompt amounts to."""
    turns = read_turns(prompt)
    if not turns:
        return [{"role": "user", "content": prompt}]
    return [{"role": turn.role, "content": prompt[turn.start : turn.end]} for turn in turns]


def is_begun(prompt: str) -> bool:
    """Tell whether the answer goes on from a beginning that stands in the prompt."""
    turns = read_turns(prompt)
    if turns:
        return turns[-1].role == "assistant"
    cue = _answer_cue(prompt)
    return cue is not None and bool(cue.rest(prompt))


def noted(prompt: str, note: str) -> str:
    """Return a prompt with a note at the end of what is asked, before the cue to answer."""
    asked = [turn for turn in read_turns(prompt) if turn.role == "user"]
    if asked:
        end = asked[-1].end
        return f"{prompt[:end]}\n\n{note}{prompt[end:]}"
    cue = _answer_cue(prompt)
    at = len(prompt) if cue is None else cue.start
    return f"{prompt[:at].rstrip()}\n\n{note}\n\n{prompt[at:]}"


def _answer_cue(prompt: str) -> Line | None:
    """Return the line that ends a prompt and bids the model answer; None if there is none."""
    read = Prompt(prompt, is_user=True)
    last = read.all_headings[-1:]
    if not last or read.lines[last[0]].role is not Role.ANSWER:
        return None
    line = read.lines[last[0]]
    return None if prompt[line.end :].strip() else line


_PREFILL = "prefill"


class _Body(CompletionBody):
    prompt: JsonValue
    echo: StrictBool | None = None
    logprobs: JsonValue = None


class CompletionRequest(ModelRequest):
    """A completion request that can be served; the model server never sees its `echo`."""

    def for_server(self, model: str) -> bytes:
        """Return the body for the model server: the caller's own bytes where nothing differs."""
        if self.body.get("echo"):
            return json_bytes(self.plain_body(model))
        return ModelRequest.for_server(self, model)

    def plain_body(self, model: str) -> JsonObject:
        """Return the body for a model, without the members that are the proxy's."""
        kept = {key: item for key, item in self.body.items() if key not in ("guard", "echo")}
        return kept | {"model": model}


def prompt_of(body: JsonObject) -> str:
    """Return the one prompt of a request.

    Raises:
        BadRequest: it has several, or none that can be read.
    """
    prompt = body.get("prompt")
    if isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, list) or not all(isinstance(one, str) for one in prompt):
        raise BadRequest("'prompt' has to be a text here: tokens could not be inspected.", "prompt")
    if len(prompt) != 1:
        problem = f"'prompt' holds {len(prompt)} texts; send one request for each."
        raise BadRequest(problem, "prompt")
    return str(prompt[0])


_TOKENS_OF_A_TEXT = ("tokens", "token_logprobs", "top_logprobs", "text_offset")
_OF_A_TEXT = ("index", "text", "logprobs", "token_ids")


class CompletionFormat(ChatFormat):
    """The format of choices that are bare texts: each counts as a message with that content."""

    coverage = COVERAGE
    object_names = ("text_completion", "text_completion")
    text_member = "text"
    ends_apart = False

    def __init__(self) -> None:
        self.telling = self.coverage.chunk.telling()
        self.silent = self.coverage.chunk.silent()
        self.silent_in_choices = self.coverage.chunk.silent("choices[]") | {"logprobs"}
        self.silent_in_chunks = self.silent_in_choices
        self.silent_in_words = dict.fromkeys((MESSAGE, DELTA), frozenset({"content"}))

    def check(self, choice: JsonObject, name: str) -> None:
        """Make sure that a choice has a text, and not a message in its place."""
        text = choice.get("text")
        if text is None and any(of_chats in choice for of_chats in (MESSAGE, DELTA)):
            raise UpstreamBroken("a choice is that of a chat")
        if not isinstance(text, str | None):
            raise UpstreamBroken("the text of a choice is no text")

    def words(self, choice: JsonObject, name: str) -> JsonObject:
        """Return a choice's text as a message."""
        return {"content": choice.get("text")}

    def with_words(self, choice: JsonObject, name: str, words: JsonObject) -> JsonObject:
        """Return a choice with the text of a message."""
        return choice | {"text": words.get("content") or words.get("refusal") or ""}

    def made(
        self, index: int, name: str, words: JsonObject, finish_reason: JsonValue = None
    ) -> JsonObject:
        """Return a choice of our own."""
        choice = self.with_words({"index": index}, name, words)
        return choice | {"logprobs": None, "finish_reason": finish_reason}

    def with_text_alone(self, choice: JsonObject) -> JsonObject:
        """Return a choice with nothing but its text and its tokens."""
        return {key: choice[key] for key in _OF_A_TEXT if key in choice}

    def has_unknown_words(self, words: JsonObject) -> bool:
        """Tell nothing: a text has nothing beside it."""
        return False

    def split_tokens(self, choice: JsonObject, text: str, at: int) -> tuple[JsonObject, JsonObject]:
        """Return the members of a choice that spell its tokens, for each half of its text."""
        logprobs, ids = choice.get("logprobs"), choice.get("token_ids")
        tokens = member(logprobs, "tokens")
        spelled = [str(token) for token in tokens] if isinstance(tokens, list) else []
        kept = tokens_before(spelled, text, at)
        first: JsonObject = {}
        second: JsonObject = {}
        if "logprobs" in choice:
            first["logprobs"], second["logprobs"] = None, logprobs
        if isinstance(logprobs, dict):
            first["logprobs"] = _some(logprobs, slice(0, kept)) if kept else None
            second["logprobs"] = _some(logprobs, slice(kept, None))
        if isinstance(ids, list):
            kept = kept if len(ids) == len(spelled) else 0
            first["token_ids"], second["token_ids"] = ids[:kept], ids[kept:]
        return first, second

    def echo(self, request: ModelRequest) -> str:
        """Return what stands before every answer: the prompt if that was asked for."""
        return prompt_of(request.body) if request.body.get("echo") else ""

    def frame(self, request: ModelRequest, request_id: str, created: int) -> JsonObject:
        """Return the members around the choices of a reply that is all ours."""
        name = self.object_names[0]
        return {"id": request_id, "object": name, "created": created, "model": request.model}

    def stream_frame(self, request: ModelRequest) -> JsonObject:
        """Return the same of a chunk that leaves before anything was read."""
        return self.frame(request, "cmpl-guard", 0)


def _some(logprobs: JsonObject, part: slice) -> JsonObject:
    return {
        key: item[part] if key in _TOKENS_OF_A_TEXT and isinstance(item, list) else item
        for key, item in logprobs.items()
    }


class CompletionsEndpoint(ChatEndpoint):
    """Completions of a prompt."""

    name = "completions"
    path = "completions"
    coverage = COVERAGE
    form = CompletionFormat()

    def read_request(self, raw: bytes) -> ModelRequest:
        """Read a request body."""
        body = read_body(raw)
        remarks = COVERAGE.request.remarks(body)
        known = validated(body, _Body)
        prompt = prompt_of(body)
        if known.echo and known.logprobs is not None and known.logprobs is not False:
            raise BadRequest("'echo' cannot be served here together with 'logprobs'.", "echo")
        begun = (_PREFILL,) if is_begun(prompt) else ()
        said = {key: value for key, value in body.items() if key != "prompt"}
        return CompletionRequest(
            raw=raw,
            parsed=body,
            conversation=said | {"messages": conversation(prompt)},
            model=known.model,
            stream=bool(known.stream),
            choices=known.n or 1,
            structured=wants_json(body, known.response_format),
            include_usage=member(known.stream_options, "include_usage") is True,
            guard=known.guard or NOTHING_TOLD,
            not_checked=remarks.unchecked + begun,
            unknown=remarks.unknown,
        )

    def prompted(self, body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
        """Return nothing: a prompt has no place for instructions that its template does not know.

        The sources are numbered in the prompt or not at all, so that nothing is put into an app's
        own wording.
        """
        return None

    def noted(self, body: JsonObject, note: str, choices: int) -> JsonObject:
        """Return the body with the note at the end of what is asked."""
        again = body | {"prompt": noted(prompt_of(body), note)}
        best_of = body.get("best_of")
        if isinstance(best_of, int):
            again["best_of"] = max(best_of, choices)
        return again | {"n": choices} if "n" in body or choices > 1 else again
