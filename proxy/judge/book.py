"""The judges of all tenants: each with a breaker of its own that outlives requests and reloads."""

import os
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random

from policies.schema.base import Mode
from policies.schema.sections import JudgeKind, JudgeRules
from proxy.judge.adapter import Adapter
from proxy.judge.breaker import Breaker, BreakerState
from proxy.judge.chat import ChatJudge
from proxy.judge.client import HttpJudge
from proxy.judge.hints import Hinting, SharedHints, key_of
from proxy.judge.server import JudgeServer, judge_client
from proxy.judge.tei import TeiJudge
from proxy.judge.vllm import VllmJudge
from proxy.judge.yesno import GraniteGuardianJudge, MiniCheckJudge

_NONCE_BYTES = 8


class JudgeBook:
    """Finds the judge of a tenant.

    Args:
        clock: Monotonic, in seconds.
        environment: Where judges' keys are looked up.
        hints: What other proxies say of judges; None where there is nobody to hear.
        ca_file: Certificates that are trusted beside the public ones; None for none.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        environment: Mapping[str, str] = os.environ,
        hints: SharedHints | None = None,
        ca_file: Path | None = None,
    ) -> None:
        self._clock = clock
        self._environment = environment
        self._chance = Random().random  # noqa: S311 - spreads probes, hides nothing
        self._client = judge_client(ca_file)
        self._judges: dict[str, tuple[JudgeRules, HttpJudge]] = {}
        self._breakers: dict[str, tuple[str, Breaker]] = {}
        self._hinting = None if hints is None else Hinting(hints, self._heeding)

    def start(self) -> None:
        """Begin to listen to other proxies."""
        if self._hinting is not None:
            self._hinting.start()

    def of(self, tenant: str, rules: JudgeRules | None) -> HttpJudge | None:
        """Return a tenant's judge by its policy; None if it has none.

        It is the same one, breaker and all, until the policy says something else about it.
        """
        if rules is None or rules.mode is Mode.OFF:
            return None
        known = self._judges.get(tenant)
        if known is None or known[0] != rules:
            known = self._judges[tenant] = (rules, self._built(tenant, rules))
        return known[1]

    def states(self) -> dict[str, BreakerState]:
        """Return the state of each judge's breaker, by tenant; those never asked are left out."""
        return {tenant: judge.state for tenant, (_, judge) in sorted(self._judges.items())}

    async def close(self) -> None:
        """Close every connection."""
        if self._hinting is not None:
            await self._hinting.close()
        await self._client.aclose()

    def _built(self, tenant: str, rules: JudgeRules) -> HttpJudge:
        key = self._environment.get(rules.api_key_env) if rules.api_key_env else None
        judge = key_of(tenant, rules)
        breaker = Breaker(rules.breaker, self._clock, self._chance, partial(self._tell, judge))
        self._breakers[tenant] = judge, breaker
        return HttpJudge(
            tenant,
            _adapter(rules),
            JudgeServer(self._client, rules.base_url, key),
            breaker,
            rules.timeout_s,
        )

    def _tell(self, judge: str, for_s: float) -> None:
        if self._hinting is not None:
            self._hinting.tell(judge, for_s)

    def _heeding(self) -> Mapping[str, Callable[[], None]]:
        """Return all judges, by what stands for them, with what heeds a hint about each."""
        return {judge: breaker.hinted for judge, breaker in self._breakers.values()}


def _adapter(rules: JudgeRules) -> Adapter:
    match rules.kind:
        case JudgeKind.CHAT:
            return ChatJudge(rules.model, lambda: secrets.token_hex(_NONCE_BYTES), rules.max_tokens)
        case JudgeKind.MINICHECK:
            return MiniCheckJudge(rules.model)
        case JudgeKind.GRANITE_GUARDIAN:
            return GraniteGuardianJudge(rules.model)
        case JudgeKind.TEI_NLI:
            return TeiJudge()
        case JudgeKind.VLLM_CLASSIFY:
            return VllmJudge(rules.model, rules.pair_separator)
