"""What became of requests that were judged again, in words for people."""

from collections.abc import Mapping

from proxy.traces.trace import NotRejudged, Unknown

SKIPPED: Mapping[NotRejudged | Unknown, str] = {
    NotRejudged.NO_TEXT: "stored without words (tracing.text: none)",
    NotRejudged.NOT_STORED: "stored by an older version, which kept too little",
    NotRejudged.JUDGE_DECIDED: "a judge had its say, and is not asked again",
    NotRejudged.MASKED: "decided over personal identifiers, which are masked now",
    NotRejudged.REFUSED: "asked for a guard that this policy has no reply for",
    NotRejudged.VERIFICATION: "answers that somebody had verified",
    NotRejudged.FAILED: "judging broke",
    Unknown.NO_ANSWER: "ended before there was a whole answer",
}
UNKNOWN: Mapping[Unknown, str] = {
    Unknown.MODEL_NOT_ASKED: "the model would have been asked, and was not",
    Unknown.NO_SECOND_ATTEMPT: "the model would have been asked once more, and was not",
    Unknown.REST_NOT_READ: "an answer that was given up would have gone on",
}
