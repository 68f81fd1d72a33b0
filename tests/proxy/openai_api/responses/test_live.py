"""Streams of responses on their way: read event by event, and written as they leave."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.endpoint import LiveStream, Piece
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.reply import Ending
from proxy.openai_api.sse import Event, write_event
from tests.proxy.openai_api.responses.wire import (
    NAMES,
    NOTHING_COUNTED,
    PHONE,
    checked,
    end,
    events_of,
    feed,
    final_of,
    live_of,
    raw_events,
    read,
    recorded,
    text_delta,
    texts_said,
    with_phone,
    without_mark,
    written,
)
from tests.tables import each_row


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


@each_row("event, said", "breaking")
def test_what_nobody_could_read_breaks_the_stream_off(event: JsonObject, said: str) -> None:
    with pytest.raises(UpstreamBroken, match=said):
        live_of().read(Event(write_event(event)))


TEMPLATE = "제공된 자료에서 확인되지 않습니다."
WHOLE = [name for name in NAMES if name != "only_whole_items"]
TEXTS = ["answer", "two_parts", "without_ends_of_texts", "only_whole_items"]


@each_row("name", WHOLE)
def test_a_stream_that_passes_leaves_with_its_own_bytes(name: str) -> None:
    live = live_of()

    assert written(live, feed(live, recorded(name))) == without_mark(recorded(name))


@given(st.sampled_from(WHOLE), st.data())
def test_pieces_may_be_cut_anywhere_in_their_texts(name: str, data: st.DataObject) -> None:
    live = live_of()
    out = b""
    for piece in feed(live, recorded(name)):
        at = data.draw(st.integers(0, len(piece.text))) if piece.text else 0
        parts = live.split(piece, at) if at else (piece,)
        assert "".join(part.text for part in parts) == piece.text
        out += b"".join(map(live.write, parts))
    out += end(live)

    assert texts_said(checked(out)) == read(recorded(name)).answers[0].content
    assert events_of(out)[-1]["response"] == events_of(recorded(name))[-1]["response"]


def test_the_tokens_of_a_piece_go_with_its_parts() -> None:
    live = live_of()
    tokens: list[JsonValue] = [{"token": one} for one in ("연차는", " 매년", " 15일")]
    body: JsonObject = text_delta("연차는 매년 15일") | {"logprobs": tokens}
    [piece] = [one for one in live.read(Event(write_event(body))) if one.text]

    first, second = live.split(piece, 5)

    assert (first.text, first.chunk["logprobs"]) == ("연차는 매", tokens[:1])
    assert second.chunk["logprobs"] == tokens[1:]


@given(st.sampled_from(TEXTS), st.data())
def test_what_leaves_is_said_alike_wherever_it_is_said(name: str, data: st.DataObject) -> None:
    live = live_of()
    out, left = b"", ""
    for piece in feed(live, recorded(name)):
        said = data.draw(st.sampled_from([None, "", "고침. "])) if piece.text else None
        out += live.write(piece) if said is None else live.write_text(0, said, [piece])
        left += piece.text if said is None else said
    out += end(live)

    assert texts_said(checked(out)) == left
    assert final_of(out).output_text == left


def test_an_annotation_of_a_changed_text_goes_with_it() -> None:
    live = live_of()
    out = b""
    for piece in feed(live, recorded("two_parts")):
        changes = "7시" in piece.text
        out += live.write_text(0, " 저녁엔 ", [piece]) if changes else live.write(piece)
    out += end(live)

    kinds = [event["type"] for event in checked(out)]
    assert kinds.count("response.output_text.annotation.added") == 1
    assert "주차안내.txt" in out.decode()
    assert "example.com" not in out.decode()


def test_a_closing_correction_goes_on_where_the_answer_stands() -> None:
    live = live_of()
    out = b""
    for piece in feed(live, recorded("answer")):
        if piece.chunk["type"] == "response.output_text.done":
            out += live.write_text(0, "\n\n※ 바로잡습니다.", ())
        out += live.write(piece)
    out += end(live)

    assert final_of(out).output_text.endswith("하세요. [†2]\n\n※ 바로잡습니다.")
    assert len(final_of(out).output) == 2
    checked(out)


def test_a_closing_correction_behind_the_last_text_is_a_message_of_its_own() -> None:
    live = live_of()
    out = b"".join(map(live.write, feed(live, recorded("answer"))))
    out += live.write_text(0, "※ 바로잡습니다.", ())
    out += end(live)

    final = final_of(out)
    assert final.output_text.endswith("하세요. [†2]※ 바로잡습니다.")
    assert [item.type for item in final.output] == ["reasoning", "message", "message"]
    checked(out)


def upto_text(pieces: Sequence[Piece]) -> list[Piece]:
    first = next(at for at, piece in enumerate(pieces) if piece.text)
    return [*pieces[:first]]


def test_of_two_attempts_the_client_sees_one_response() -> None:
    live = live_of()
    out = b"".join(map(live.write, upto_text(feed(live, recorded("answer")))))
    live.begin_again([0])
    out += written(live, feed(live, recorded("two_parts")))

    events = checked(out)
    final = final_of(out)
    assert final.id == "resp_0a1"
    assert final.output_text == read(recorded("two_parts")).answers[0].content
    kinds = [event["type"] for event in events]
    assert kinds.count("response.created") == 1
    assert [
        one["output_index"] for one in events if one["type"] == "response.output_item.done"
    ] == [
        0,
        1,
        2,
    ]
    assert "msg_0a1" not in out.decode()


def test_what_a_first_attempt_began_and_did_not_end_is_ended_as_incomplete() -> None:
    live = live_of()
    pieces = feed(live, recorded("answer"))
    reasoning = next(at for at, one in enumerate(pieces) if "delta" in one.chunk)
    out = b"".join(map(live.write, pieces[:reasoning]))
    live.begin_again([0])
    out += written(live, feed(live, recorded("without_ends_of_texts")))

    ended = [one for one in checked(out) if one["type"] == "response.output_item.done"]
    assert [member(one["item"], "type") for one in ended] == ["reasoning", "message"]
    assert member(ended[0]["item"], "status") == "incomplete"
    assert final_of(out).output_text == "회의실은 2층입니다."


def test_where_json_was_asked_for_a_template_is_a_refusal() -> None:
    live = live_of(text={"format": {"type": "json_object"}})
    out = b"".join(map(live.write, upto_text(feed(live, recorded("without_ends_of_texts")))))
    out += live.write_template(0, TEMPLATE) + live.write_finish(0, "content_filter") + end(live)

    last = checked(out)[-1]
    response = last["response"]
    assert last["type"] == "response.incomplete"
    assert member(member(response, "incomplete_details"), "reason") == "content_filter"
    [item] = objects(member(response, "output"))
    assert item["content"] == [{"type": "refusal", "refusal": TEMPLATE}]


def test_the_report_and_the_usage_of_all_attempts_go_with_the_last_event() -> None:
    live = live_of()
    out = b"".join(map(live.write, feed(live, recorded("answer"))))
    report: JsonObject = {"action": "pass"}
    total: JsonObject = {"input_tokens": 7, "output_tokens": 8, "total_tokens": 15}

    out += live.write_end(
        NOTHING_COUNTED | total, Ending(id="r", created=1, finish_reason="stop", report=report)
    )

    response = events_of(out)[-1]["response"]
    assert member(response, "guard") == report
    assert member(response, "usage") == total


def test_a_failure_is_told_so_that_the_clients_raise_it() -> None:
    live = live_of()
    out = b"".join(map(live.write, upto_text(feed(live, recorded("answer")))))
    error: JsonObject = {"error": {"message": "시간 초과", "code": "upstream_timeout"}}

    last = checked(out + live.write_error(error))[-1]

    assert (last["type"], last["code"], last["message"]) == (
        "error",
        "upstream_timeout",
        "시간 초과",
    )
    assert last["error"] == error["error"]
