"""`guard-proxy serve` without traces, which no setting and no policy allows.

What a trace costs is the difference to `guard-proxy serve`.
"""

import sys

from policies.schema.loader import LoadedPolicy
from proxy.cli import main
from proxy.replay.workers import Shadows
from proxy.traces.trace import Trace


def _keep_nothing(_: Shadows, __: Trace, ___: LoadedPolicy) -> None:
    pass


if __name__ == "__main__":
    Shadows.take = _keep_nothing  # type: ignore[method-assign, assignment]
    sys.argv[0] = "guard-proxy"
    main()
