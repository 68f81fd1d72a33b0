"""A run as JUnit XML, which CI servers show: a suite for each category, a test for each case."""

import io
import re

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from proxy.golden.results import CaseResult, Outcome, Run

# What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(run: Run) -> bytes:
    """Return a run as a JUnit report in UTF-8."""
    report = JUnitXml(_xml(f"guard-proxy eval {run.golden}"))
    for category, results in run.by_category().items():
        suite = TestSuite(_xml(category))
        suite.timestamp = run.started_at.isoformat(timespec="seconds")
        suite.add_testcases([_test(run, result) for result in results])
        report.add_testsuite(suite)
    written = io.BytesIO()
    report.write(written)
    return written.getvalue()


def _test(run: Run, result: CaseResult) -> TestCase:
    name = _xml(f"{run.golden}.{result.category}")
    test = TestCase(_xml(result.id), name, round(result.took_ms / 1000, 3))
    told = result.told
    if result.outcome is Outcome.FAILED:
        test.result = _explained(Failure(_xml(told[0]), "not_as_expected"), result)
    elif result.outcome is Outcome.ERROR:
        test.result = _explained(Error(_xml(told[0]), "no_reply"), result)
    elif result.outcome is Outcome.NOT_RUN:
        test.result = Skipped("not run")
    return test


def _explained(fault: Failure | Error, result: CaseResult) -> Failure | Error:
    lines = [*result.told]
    for turn in result.turns:
        lines += [
            "",
            f"asked: {turn.query}",
            f"reply: {turn.reply}",
            f"action: {turn.action}  reasons: {', '.join(turn.reasons)}  trace: {turn.trace_id}",
        ]
    fault.text = _xml("\n".join(lines))
    return fault


def _xml(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
