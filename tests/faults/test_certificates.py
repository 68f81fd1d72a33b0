"""Nobody on the way: model servers and judges are who their certificates say, or are not spoken to.

Public authorities are trusted, and one's own where the operator names it; nothing that a client
sends or a policy says changes that. Without trust the caller gets a 502 that says nothing of it,
and the log says why.
"""

import json
import ssl
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
import trustme

from policies.schema.sections import JudgeRules, Upstream
from proxy.certificates import trusted
from proxy.demo import Said, completion
from proxy.judge.server import JudgeCallFailed, JudgeServer, judge_client
from tests.fakes.command import assert_refused, run, running
from tests.fakes.log_lines import json_logs
from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.redis_process import RedisProcess
from tests.fakes.redis_relay import RedisRelay
from tests.fakes.rig import upstream_yaml
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.faults.service import service
from tests.faults.test_starts import TENANT, written
from tests.policies.courses import COURSES, DENIED, KNOWN
from tests.proxy.dashboard.visitor import Visitor
from tests.tables import each_row

HOST = "127.0.0.1"
ELSEWHERE = "model.bank.test"
ANSWER = "네."
CHAT = chat_body("안녕하세요?")
REPLY = json.dumps(completion(CHAT, Said((ANSWER,)))).encode()
DOUBTED = {
    "question": "수강료는 언제까지 환불되나요?",
    "answer": f"{KNOWN} {DENIED}",
    "sources": [{"section_title": COURSES.title, "section_content": COURSES.text}],
}
LAST_YEAR = datetime.now(UTC) - timedelta(days=365)


@dataclass
class Authority:
    """One that is nobody's but the operator's, in a file."""

    issuer: trustme.CA
    path: Path

    def server(self, host: str = HOST, *, until: datetime | None = None) -> RawUpstream:
        """Return a model server with a certificate for a host."""
        rules = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.issuer.issue_cert(host, not_after=until).configure_cert(rules)
        server = RawUpstream(tls=rules)
        server.says(REPLY)
        return server


def an_authority(folder: Path, name: str) -> Authority:
    found = Authority(trustme.CA(), folder / name)
    found.issuer.cert_pem.write_to_path(str(found.path))
    return found


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return an_authority(tmp_path_factory.mktemp("own"), "bank.pem")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return an_authority(tmp_path_factory.mktemp("foreign"), "other.pem")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisProcess]:
    process = RedisProcess(tmp_path / "redis")
    process.start()
    yield process
    process.stop()


@dataclass
class Office:
    """A proxy and the servers of its tenants, each named after what its certificate is."""

    proxy: RunningProxy
    servers: Mapping[str, RawUpstream | ScriptedUpstream]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def office(
    tmp_path_factory: pytest.TempPathFactory, own: Authority, foreign: Authority
) -> AsyncGenerator[Office, None]:
    async with (
        own.server().running() as good,
        own.server(ELSEWHERE).running() as misplaced,
        own.server(until=LAST_YEAR).running() as expired,
        foreign.server().running() as unknown,
        ScriptedUpstream().running() as plain,
    ):
        plain.address = plain.address.replace("http:", "https:")
        servers: Mapping[str, RawUpstream | ScriptedUpstream] = {
            "app": good,
            "misplaced": misplaced,
            "expired": expired,
            "unknown": unknown,
            "plain": plain,
        }
        passing = "\npassthrough: ['GET /models']\n"
        others = {name: upstream_yaml(one.address) + passing for name, one in servers.items()}
        folder = tmp_path_factory.mktemp("office")
        ca_file = folder / "ca.pem"  # read for this proxy, while the environment names another
        ca_file.write_bytes(own.path.read_bytes())
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("SSL_CERT_FILE", str(foreign.path))
            async with running_proxy(
                folder, good, others.pop("app"), others=others, ca_file=ca_file
            ) as proxy:
                yield Office(proxy, servers)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_server_under_an_authority_of_ones_own_is_spoken_to(office: Office) -> None:
    reply = await office.proxy.chat(CHAT)

    assert reply.json()["choices"][0]["message"]["content"] == ANSWER


REFUSED = [
    pytest.param("unknown", "certificate verify failed: unable to get local issuer", id="unknown"),
    pytest.param("misplaced", "certificate is not valid for '127.0.0.1'", id="another-host"),
    pytest.param("expired", "certificate verify failed: certificate has expired", id="expired"),
    pytest.param("plain", "TLS failed: ", id="no-tls"),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("tenant", "said"), REFUSED)
@pytest.mark.parametrize("door", ["chat", "handed-through"])
async def test_whoever_is_not_vouched_for_gets_no_request(
    office: Office, tenant: str, said: str, door: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key = office.proxy.keys[tenant]
    with json_logs():
        if door == "chat":
            reply = await office.proxy.chat(CHAT, key=key)
        else:
            reply = await office.proxy.client.get(
                f"{office.proxy.base_url}/models", headers={"authorization": f"Bearer {key}"}
            )

    assert (reply.status_code, reply.json()["error"]["code"]) == (502, "upstream_unreachable")
    assert not any(word in reply.text for word in ("certificate", "TLS", HOST))
    [line] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (line["event"], line["server"]) == ("upstream.not_secured", HOST)
    assert said in line["said"]
    assert office.servers[tenant].requests == []


async def test_without_the_setting_it_is_not_spoken_to(tmp_path: Path, own: Authority) -> None:
    async with own.server().running() as server, running_proxy(tmp_path, server) as proxy:
        reply = await proxy.chat(CHAT)

    assert reply.status_code == 502
    assert server.requests == []


async def test_workers_trust_what_was_read_at_the_start(tmp_path: Path, own: Authority) -> None:
    (tmp_path / "ca.pem").write_bytes(own.path.read_bytes())
    async with (
        own.server().running() as server,
        service(tmp_path, server.address, workers="2", ca_file="ca.pem") as proxy,
    ):
        (tmp_path / "ca.pem").unlink()
        await proxy.ask()

    assert proxy.statuses == {200}


async def test_a_golden_set_is_asked_of_whom_the_service_would_trust(
    tmp_path: Path, own: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(own.path))
    (tmp_path / "mine.yaml").write_text("cases: [{id: greeting, query: 안녕하세요?}]\n")
    async with own.server().running() as server:
        words = ("eval", "mine.yaml", "--base-url", f"{server.address}/v1", "--model", "m")
        async with running(tmp_path, *words) as doubting:
            assert await doubting.ended() == 1
        assert server.requests == []
        async with running(tmp_path, *words, ca_file=str(own.path)) as trusting:
            assert await trusting.ended() == 0

    assert "CERTIFICATE_VERIFY_FAILED" in "".join(doubting.out)
    assert len(server.requests) == 1


async def test_redis_under_an_authority_of_ones_own_is_spoken_to_by_all_who_need_it(
    tmp_path: Path, own: Authority, server: RedisProcess
) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.issuer.issue_cert(HOST).configure_cert(tls)
    limited = "limits: {requests_per_minute: 100}"
    states: dict[Path | None, tuple[str, str]] = {}
    async with (
        RedisRelay(server.port, tls=tls).running() as relay,
        ScriptedUpstream().running() as upstream,
    ):
        upstream.says(ANSWER)
        for ca_file in (own.path, None):
            folder = tmp_path / f"proxy-{len(states)}"
            folder.mkdir()
            async with (
                running_proxy(
                    folder,
                    upstream,
                    limited,
                    redis_url=relay.url,
                    ca_file=ca_file,
                    dashboard=True,
                ) as proxy,
                Visitor(proxy.address) as visitor,
            ):
                await proxy.chat(CHAT)
                ready = (await proxy.client.get(f"{proxy.address}/readyz")).json()
                states[ca_file] = (ready["traces"]["store"], ready["limits"]["store"])
                if ca_file:
                    await visitor.sign_in(ADMIN_TOKEN)
                    page = await visitor.get("/dashboard")
                    assert page.status_code == httpx.codes.OK

    assert states[own.path] == ("ok", "ok")
    assert {state.partition(":")[0] for state in states[None]} == {"away"}


async def test_a_judge_under_an_authority_of_ones_own_is_asked(
    tmp_path: Path, own: Authority
) -> None:
    async with own.server().running() as server:
        judge = f"judge:\n  base_url: {server.address}/v1\n  model: judge-ko\n"
        async with running_proxy(tmp_path, server, judge, ca_file=own.path) as proxy:
            await proxy.send(json.dumps(DOUBTED).encode(), path="/v1/verify")

    assert [one.line for one in server.requests] == ["POST /v1/chat/completions HTTP/1.1"]


async def test_a_judge_is_held_to_the_same(
    own: Authority, capsys: pytest.CaptureFixture[str]
) -> None:
    with json_logs():
        async with (
            own.server().running() as server,
            judge_client(own.path) as trusting,
            judge_client() as public,
        ):
            assert await JudgeServer(trusting, server.address, None).post("/", {})
            with pytest.raises(JudgeCallFailed, match="unreachable"):
                await JudgeServer(public, server.address, None).post("/", {})

    [line] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (line["event"], line["server"]) == ("judge.not_secured", HOST)
    assert "certificate verify failed: " in line["said"]


def test_public_authorities_stay_trusted(own: Authority) -> None:
    public = trusted(None).get_ca_certs(binary_form=True)

    both = trusted(own.path).get_ca_certs(binary_form=True)

    assert len(public) > 50
    assert set(both) - set(public) == {ssl.PEM_cert_to_DER_cert(own.path.read_text())}
    assert set(public) < set(both)
    for rules in (trusted(None), trusted(own.path)):
        assert rules.check_hostname
        assert rules.verify_mode is ssl.CERT_REQUIRED


@each_row("name", ["verify", "verify_ssl", "insecure", "ca_file"])
def test_no_policy_can_leave_it_out(name: str) -> None:
    for section in (Upstream, JudgeRules):
        assert section.model_config["extra"] == "forbid"
        assert name not in section.model_fields


# The file itself.

CUT = "-----BEGIN CERTIFICATE-----\nMIIB"


@pytest.fixture(params=["missing", "folder", "link-to-itself", "empty", "der", "cut", "key"])
def useless(
    request: pytest.FixtureRequest, tmp_path: Path, own: Authority
) -> Iterator[tuple[Path, str]]:
    path = tmp_path / "ca.pem"
    good = own.path.read_bytes()
    match request.param:
        case "missing":
            yield path, "cannot be read: No such file or directory"
        case "folder":
            path.mkdir()
            yield path, "is no regular file"
        case "link-to-itself":
            path.symlink_to(path)
            yield path, "cannot be read: Too many levels of symbolic links"
        case "empty":
            path.touch()
            yield path, "holds no certificate in PEM"
        case "der":
            path.write_bytes(ssl.PEM_cert_to_DER_cert(good.decode()))
            yield path, "holds no certificate in PEM"
        case "cut":
            path.write_bytes(good + CUT.encode())
            yield path, "holds a certificate that is damaged"
        case "key":
            path.write_bytes(good + own.issuer.private_key_pem.bytes())
            yield path, "holds a private key"


def test_a_file_that_cannot_be_used_stops_the_start(
    tmp_path: Path, useless: tuple[Path, str]
) -> None:
    path, said = useless
    written(tmp_path, "hr.yaml", TENANT)

    ended = run(tmp_path, "serve", port="0", ca_file=str(path))

    assert_refused(ended, f"GUARD_PROXY_CA_FILE: {path} {said}")
    assert "MII" not in ended.err


def test_a_bundle_with_remarks_is_read_whole(
    tmp_path: Path, own: Authority, foreign: Authority
) -> None:
    path = tmp_path / "ca.pem"
    remark = "# 은행 인증기관\n"
    path.write_text(remark + own.path.read_text() + remark + foreign.path.read_text())

    found = trusted(path).get_ca_certs(binary_form=True)

    assert len(found) == len(trusted(None).get_ca_certs()) + 2
