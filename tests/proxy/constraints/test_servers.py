import pytest

from proxy.errors import UpstreamRefused
from proxy.openai_api.json_body import JsonObject
from proxy.pipeline.constraints import (
    MOST_BAD_WORDS,
    AllowedText,
    ServerKind,
    Wanted,
    fields_for,
    kind_of,
    may_be_refusal,
)

TEXT = AllowedText(("手續費",))
BOTH = Wanted(TEXT, ("가온은행",))
NAMES = Wanted(None, ("가온은행",))

FIELDS = [
    pytest.param(
        ServerKind.VLLM,
        BOTH,
        {"structured_outputs": {"regex": TEXT.regex}, "bad_words": ["가온은행"]},
        id="vllm",
    ),
    pytest.param(ServerKind.VLLM, NAMES, {"bad_words": ["가온은행"]}, id="vllm-names"),
    pytest.param(ServerKind.SGLANG, BOTH, {"regex": TEXT.regex}, id="sglang"),
    pytest.param(ServerKind.SGLANG, NAMES, {}, id="sglang-bars-no-names"),
    pytest.param(ServerKind.LLAMACPP, BOTH, {"grammar": TEXT.gbnf}, id="llamacpp"),
    pytest.param(ServerKind.LLAMACPP, NAMES, {}, id="llamacpp-bars-no-names"),
]


@pytest.mark.parametrize(("kind", "wanted", "fields"), FIELDS)
def test_each_server_is_told_in_its_own_way(
    kind: ServerKind, wanted: Wanted, fields: JsonObject
) -> None:
    assert fields_for(kind, {}, wanted) == fields


def test_words_that_the_client_bars_itself_stay_barred() -> None:
    own: JsonObject = {"bad_words": ["욕설"] * 70}

    fields = fields_for(ServerKind.VLLM, {"bad_words": ["욕설"]}, NAMES)
    many = fields_for(ServerKind.VLLM, own, NAMES)

    assert fields["bad_words"] == ["욕설", "가온은행"]
    assert many["bad_words"] == ["욕설"] * MOST_BAD_WORDS


OWNERS = [
    pytest.param({"data": [{"id": "m", "owned_by": "vllm"}]}, ServerKind.VLLM, id="vllm"),
    pytest.param({"data": [{"id": "m", "owned_by": "sglang"}]}, ServerKind.SGLANG, id="sglang"),
    pytest.param({"data": [{"id": "m", "owned_by": "llamacpp"}]}, ServerKind.LLAMACPP, id="llama"),
    pytest.param({"data": [{"id": "gpt", "owned_by": "system"}]}, None, id="openai"),
    pytest.param({"data": [{"id": "m", "owned_by": ["vllm"]}]}, None, id="no-name"),
    pytest.param({"data": []}, None, id="no-models"),
    pytest.param({"models": []}, None, id="another-form"),
]


@pytest.mark.parametrize(("models", "kind"), OWNERS)
def test_the_list_of_models_tells_what_a_server_is(
    models: JsonObject, kind: ServerKind | None
) -> None:
    assert kind_of(models) is kind


REFUSALS = [
    pytest.param(422, True, id="validation"),
    pytest.param(400, True, id="bad-request"),
    pytest.param(500, True, id="broke-over-it"),
    pytest.param(501, True, id="not-implemented"),
    pytest.param(401, False, id="key"),
    pytest.param(404, False, id="not-found"),
    pytest.param(413, False, id="too-large"),
    pytest.param(429, False, id="rate-limit"),
]


@pytest.mark.parametrize(("status", "refused"), REFUSALS)
def test_a_status_tells_whether_what_was_added_may_be_to_blame(
    status: int, *, refused: bool
) -> None:
    assert may_be_refusal(UpstreamRefused(status)) is refused
