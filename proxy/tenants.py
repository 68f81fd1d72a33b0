"""Tenants: lookup by key or path, with policy, guards and model server.

A request may ask for more than its tenant's policy, never for less: see `apply_overrides`.
"""

import dataclasses
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

from guards.core.guard import Stage
from guards.core.registry import all_guards
from policies.checks import faults_in_judging
from policies.inspection import Inspector
from policies.schema.base import Mode
from policies.schema.keys import matching, tenant_named_by
from policies.schema.loader import LoadedPolicy
from policies.schema.policy import GuardRule, Policy
from policies.schema.sections import ReferenceList, StreamMode, Upstream
from policies.schema.store import PolicyStore, Snapshot
from policies.templates import ReplyTemplates
from proxy.errors import BadRequest, UnknownKey, UnknownPath
from proxy.openai_api.model_request import GuardField
from proxy.server.request_head import ModelPath


@dataclass(frozen=True, eq=False, kw_only=True)
class Judging:
    """All that judging an answer takes."""

    loaded: LoadedPolicy
    inspector: Inspector

    @property
    def policy(self) -> Policy:
        """The policy itself."""
        return self.loaded.policy

    @cached_property
    def version(self) -> str:
        """The policy's name and version, as headers and traces name it."""
        return f"{self.loaded.name}@{self.loaded.version}"

    @cached_property
    def looks_at_questions(self) -> bool:
        """True if anything can come of looking at a question."""
        return self._guards_run_at(Stage.INPUT)

    @cached_property
    def looks_at_answers(self) -> bool:
        """True if anything can come of looking at an answer: a finding, an opinion or an edit."""
        adds_list = self.policy.citations.references is ReferenceList.ALWAYS
        asks_judge = self.policy.judge is not None
        return self._guards_run_at(Stage.OUTPUT) or asks_judge or adds_list

    @cached_property
    def acts_on_answers(self) -> bool:
        """True if anything could be done about an answer, whatever is found in it."""
        policy = self.policy
        if policy.only_watches:
            return False
        adds_list = policy.citations.references is ReferenceList.ALWAYS
        return (
            adds_list
            or policy.judge is not None
            or any(
                rule.mode is Mode.ENFORCE and Stage.OUTPUT in all_guards()[name].stages
                for name, rule in policy.guards.items()
            )
        )

    def _guards_run_at(self, stage: Stage) -> bool:
        """Tell whether the policy switches on any guard of a stage."""
        return any(
            rule.mode is not Mode.OFF and stage in all_guards()[name].stages
            for name, rule in self.policy.guards.items()
        )


def judging_by(loaded: LoadedPolicy) -> Judging:
    """Return what judges by a policy."""
    return Judging(loaded=loaded, inspector=Inspector(loaded.policy))


@dataclass(frozen=True, eq=False, kw_only=True)
class Tenant(Judging):
    """One tenant as a request finds it; a reload makes new ones and never changes this one.

    Attributes:
        server_key: Key for that server; None for none, or where the caller's own is passed on.
    """

    name: str
    upstream: Upstream
    server_key: str | None

    @property
    def key_is_ours(self) -> bool:
        """True if the model server is asked with the operator's key, false if with the caller's."""
        return not self.upstream.pass_caller_key

    def key_for(self, caller_key: str | None) -> str | None:
        """Return the key with which the model server is asked for a caller; None for none."""
        return self.server_key if self.key_is_ours else caller_key


class TenantBook:
    """All tenants of one snapshot of the policies."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._by_name = {
            name: _tenant(name, loaded, loaded.policy.upstream)
            for name, loaded in snapshot.tenants.items()
            if loaded.policy.upstream is not None
        }

    def by_key(self, key: str) -> Tenant | None:
        """Return the tenant that has an API key: the one that it names, if the hash is there."""
        tenant = self._by_name.get(tenant_named_by(key) or "")
        return tenant if tenant and matching(key, tenant.policy.keys) else None

    def named(self, name: str) -> Tenant | None:
        """Return a tenant by its name."""
        return self._by_name.get(name)

    def open_by_name(self, name: str) -> Tenant | None:
        """Return a tenant that is reached by its name, with the model server's own key."""
        tenant = self._by_name.get(name)
        return tenant if tenant and tenant.upstream.pass_caller_key else None


class Tenants:
    """The current book: made anew when the policies are."""

    def __init__(self, policies: PolicyStore) -> None:
        self.policies = policies
        self._book = TenantBook(policies.snapshot)

    @property
    def book(self) -> TenantBook:
        """The tenants of the newest good policies."""
        if self._book.snapshot is not self.policies.snapshot:
            self._book = TenantBook(self.policies.snapshot)
        return self._book


def _tenant(name: str, loaded: LoadedPolicy, upstream: Upstream) -> Tenant:
    variable = upstream.api_key_env
    return Tenant(
        name=name,
        loaded=loaded,
        inspector=Inspector(loaded.policy),
        upstream=upstream,
        server_key=os.environ[variable] if variable else None,
    )


MOST_KEPT = 32
"""Inspectors that are kept for what callers asked for; making one takes a few milliseconds."""
_PARAM = "guard.guards"
JudgingT = TypeVar("JudgingT", bound=Judging)


def apply_overrides(tenant: JudgingT, requested: GuardField) -> JudgingT:
    """Return the tenant with the stricter policy that a request asks for.

    Raises:
        BadRequest: it names no guard, or one that the policy has no reply for.
    """
    wanted = frozenset(requested.guards)
    holds = requested.hold and tenant.policy.stream.mode is not StreamMode.BUFFER
    if not wanted and not holds:
        return tenant
    for name in requested.guards:
        if name not in all_guards():
            known = ", ".join(all_guards())
            raise BadRequest(f"Invalid value for '{_PARAM}': no guard '{name}'; {known}.", _PARAM)
    stricter: JudgingT = _stricter(tenant, wanted, holds)
    return stricter


@lru_cache(maxsize=MOST_KEPT)
def _stricter(tenant: JudgingT, wanted: frozenset[str], holds: bool) -> JudgingT:
    rules = dict(_enforced(tenant.policy, sorted(wanted)))
    changed = {"guards": tenant.policy.guards | rules}
    mode = StreamMode.BUFFER if holds else tenant.policy.stream.mode
    stream = tenant.policy.stream.model_copy(update={"mode": mode})
    policy = tenant.policy.model_copy(update=changed | {"stream": stream})
    for fault in faults_in_judging(policy):
        raise BadRequest(f"'{_PARAM}' cannot be had here: {fault.message}.", _PARAM)
    loaded = dataclasses.replace(tenant.loaded, policy=policy, templates=ReplyTemplates(policy))
    return dataclasses.replace(tenant, loaded=loaded, inspector=Inspector(policy))


def _enforced(policy: Policy, wanted: Iterable[str]) -> Iterator[tuple[str, GuardRule]]:
    """Yield the rules of guards that a caller adds; those in force stay as they are."""
    for name in wanted:
        rule = policy.guards.get(name, GuardRule())
        yield name, rule.model_copy(update={"mode": Mode.ENFORCE})


_SCHEME = "bearer "


def tenant_of(path: ModelPath, key: str | None, tenants: Tenants) -> Tenant:
    """Return the tenant of a request.

    ``/t/<tenant>/v1/…`` names a tenant whose policy passes the caller's own key on to the model
    server; everywhere else the key names the tenant.

    Raises:
        RequestRefused: there is none.
    """
    if path.tenant is not None:
        named = tenants.book.open_by_name(path.tenant)
        if named is None:
            raise UnknownPath(path.whole)
        return named
    tenant = tenants.book.by_key(key) if key else None
    if tenant is None:
        raise UnknownKey(missing=key is None)
    return tenant


def bearer_key(header: bytes) -> str | None:
    """Return the key of an ``Authorization`` header; None if it holds none."""
    text = header.decode("latin-1")
    if not text.lower().startswith(_SCHEME):
        return None
    return text[len(_SCHEME) :].strip() or None


def plain_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the key of the one `x-api-key` header; None if there is none, or more than one."""
    named = [value for name, value in headers if name == b"x-api-key"]
    return named[0].decode("latin-1").strip() or None if len(named) == 1 else None
