"""Runs examples of the docs: reads each as a line of JSON, prints a line with what it printed."""

import contextlib
import io
import json
import sys
import traceback


def main() -> None:
    for line in sys.stdin:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(json.loads(line), {"__name__": "__main__"})
            found: dict[str, object] = {"lines": printed.getvalue().splitlines()}
        except Exception:  # noqa: BLE001 - whatever it is, the test shows it
            found = {"failed": traceback.format_exc()}
        sys.stdout.write(f"{json.dumps(found)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
