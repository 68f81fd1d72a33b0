"""One verification over HTTP, from its first byte to its trace."""

from policies.verification.verifying import UnknownGuard, Verified
from proxy.errors import BadRequest
from proxy.inspecting import log_failures
from proxy.job import Job
from proxy.openai_api.json_body import JSON_TYPE
from proxy.openai_api.sse import json_bytes
from proxy.server.asgi_reply import HttpReply
from proxy.stricter import asking_more
from proxy.traces.builder import asked_of, note_exchange, note_verification
from proxy.verify_request import ToVerify, read_verify_request, to_verify
from proxy.verifying import verified


class VerifyJob(Job):
    """Verifies one answer by its tenant's policy and records it."""

    door = "verify"

    async def _reply(self, raw: bytes) -> HttpReply:
        request = read_verify_request(raw)
        if request.guard is not None:
            self._tenant = asking_more(self._tenant, request.guard)
        loaded = self._tenant.loaded
        with self.trace.step("read"):
            wanted = to_verify(request, loaded.policy.sources, loaded.intents)
        told = request.guard.intent if request.guard else None
        asked = asked_of(wanted.exchange, request.guard, told_intent=told)
        note_exchange(self.trace, wanted.exchange, wanted.found, wanted.intent.why, asked)
        self.trace.route = self.door
        with self.trace.step("inspect_answer"):
            done = await self._verified(wanted)
        log_failures(self.id, done.verdict)
        report = done.report
        note_verification(self.trace, done.verdict, report.original_answer, report.corrected_answer)
        body = json_bytes(report.model_dump(mode="json"))
        return HttpReply(200, self.early_headers, JSON_TYPE, body)

    async def _verified(self, wanted: ToVerify) -> Verified:
        try:
            return await verified(
                self._services,
                self._tenant,
                wanted.exchange,
                wanted.options,
                spent_s=self.trace.spent_s,
                request_id=self.id,
            )
        except UnknownGuard as unknown:
            param = "options.guards"
            raise BadRequest(f"Invalid value for '{param}': {unknown}", param) from None
