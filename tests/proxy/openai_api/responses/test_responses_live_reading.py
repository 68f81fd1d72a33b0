import pytest

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.live_stream import LiveStream, Piece
from proxy.openai_api.sse import Event, write_event
from tests.proxy.openai_api.responses.wire import (
    PHONE,
    checked,
    events_of,
    feed,
    final_of,
    live_of,
    raw_events,
    recorded,
    text_delta,
    texts_said,
    with_phone,
    written,
)


def live_with_phone() -> LiveStream:
    live = live_of()
    live.restore_with(with_phone())
    return live


def test_identifiers_are_put_back_wherever_they_are_said() -> None:
    stream = recorded("answer").replace("연차는 ".encode(), "[전화번".encode())
    stream = stream.replace("매년 15일".encode(), "호-1]로 전화".encode())
    live = live_with_phone()
    pieces = feed(live, stream)

    out = written(live, pieces)

    assert "".join(piece.text for piece in pieces).startswith(f"{PHONE}로 전화")
    assert live.reply().answers[0].content == texts_said(checked(out))
    assert final_of(out).output_text.startswith(f"{PHONE}로 전화입니다.")
    assert "전화번호-1" not in out.decode()


def test_identifiers_are_put_back_in_the_arguments_of_tools() -> None:
    stream = recorded("tool_call").replace("경조 휴가".encode(), "[전화번호-1]".encode())
    live = live_with_phone()

    out = written(live, feed(live, stream))

    assert final_of(out).output[1].to_dict()["arguments"] == f'{{"query":"{PHONE}"}}'
    deltas = [one for one in checked(out) if "call_arguments.delta" in str(one["type"])]
    assert "".join(str(one["delta"]) for one in deltas) == f'{{"query":"{PHONE}"}}'


def test_a_call_of_a_tool_is_told_and_so_is_the_end() -> None:
    live = live_of()

    pieces = feed(live, recorded("tool_call"))

    assert {str(one.chunk["type"]) for one in pieces if one.calls_tool} == {
        "response.output_item.added",
        "response.output_item.done",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
    }
    assert pieces[-1].finish_reason == "tool_calls"
    assert live.reply().answers[0].tool_turn


def test_an_unknown_event_passes_in_its_turn_only_without_words() -> None:
    live = live_of()
    silent: JsonObject = {"type": "response.rested", "item_id": "m", "sequence_number": 3}
    wordy: JsonObject = {"type": "response.summed_up", "gist": "연차는 15일", "sequence_number": 4}

    passed = live.read(Event(write_event(silent)))
    left_out = live.read(Event(write_event(wordy)))

    assert [piece.raw for piece in passed] == [write_event(silent)]
    assert [*left_out] == []
    assert live.reply().unseen == ("unknown_event",)


def test_an_answer_in_what_begins_a_stream_waits_for_its_turn() -> None:
    live = live_of()
    whole = member(events_of(recorded("answer"))[-1], "response")
    begun: JsonObject = {"type": "response.in_progress", "response": whole, "sequence_number": 1}

    [piece] = live.read(Event(write_event(begun)))

    assert (piece.text, piece.raw) == ("", None)
    assert "15일" not in live.write(piece).decode()


def test_a_part_that_begins_with_words_says_them_as_its_first_text() -> None:
    live = live_of()
    pieces: list[Piece] = []
    for body, raw in raw_events(recorded("without_ends_of_texts")):
        if body["type"] == "response.content_part.added":
            body["part"] = {"type": "output_text", "annotations": [], "text": "회의실은 "}
            pieces += live.read(Event(write_event(body)))
        elif body.get("delta") != "회의실은 ":
            pieces += live.read(Event(raw))

    assert [piece.text for piece in pieces if piece.text] == ["회의실은 ", "2층입니다."]
    assert final_of(written(live, pieces)).output_text == "회의실은 2층입니다."


BREAKING: list[object] = [
    pytest.param({"type": "error", "message": "x"}, "with an error", id="error-event"),
    pytest.param({"error": {"message": "x"}}, "with an error", id="error-object"),
    pytest.param({"type": "response.failed", "response": {}}, "with an error", id="failed"),
    pytest.param({"delta": "x"}, "no type", id="no-type"),
    pytest.param({"type": "response.output_text.delta", "delta": "x"}, "index", id="no-place"),
    pytest.param(text_delta("x") | {"delta": ["x"]}, "no text", id="delta-is-no-text"),
    pytest.param(
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "rich",
         "text": "x"}}, "unknown kind", id="item-of-an-unknown-kind-with-words"),
    pytest.param(
        {"type": "response.content_part.added", "output_index": 0, "content_index": 0,
         "part": {"type": "table", "text": "x"}}, "no text", id="part-of-an-unknown-kind"),
    pytest.param({"type": "response.completed"}, "no response", id="end-without-a-response"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "said"), BREAKING)
def test_what_nobody_could_read_breaks_the_stream_off(event: JsonObject, said: str) -> None:
    with pytest.raises(UpstreamBroken, match=said):
        live_of().read(Event(write_event(event)))
