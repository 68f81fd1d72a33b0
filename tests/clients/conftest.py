"""Clients that apps really use, each against a proxy and a model server on real sockets."""

from collections.abc import AsyncGenerator, Iterator

import pytest
import pytest_asyncio

from tests.clients.endpoint_server import DoorServer, EndpointRig
from tests.clients.node_packages import why_not
from tests.clients.processes import NODE, PYTHON, Client, Program, program
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import running_proxy
from tests.flow import canteen

# Without Node its clients cannot run; what the suite says about it at its end is in the top folder.
collect_ignore_glob = ["test_node_*.py"] if why_not() else []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    """A rig whose tenant ``raw`` has the model server that sends bytes.

    The tenant ``filtering`` ends replaced answers with ``content_filter``.
    """
    folder = tmp_path_factory.mktemp("rig")
    others = {
        "raw": upstream_yaml(RAW) + canteen.TEMPLATES,
        "filtering": canteen.TENANTS["filtering"],
    }
    async with open_rig(folder, canteen.TEMPLATES, others=others, keep_alive_s=1.0) as rig:
        yield rig


@pytest.fixture
def rig(shared_rig: Rig) -> Rig:
    return shared_rig.tidied()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_doors(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[EndpointRig, None]:
    folder = tmp_path_factory.mktemp("doors")
    async with (
        DoorServer().running() as server,
        running_proxy(
            folder,
            server,
            canteen.TEMPLATES,
            others={"filtering": canteen.TENANTS["filtering"]},
        ) as proxy,
    ):
        yield EndpointRig(proxy, server)


@pytest.fixture
def doors(shared_doors: EndpointRig) -> EndpointRig:
    """A proxy before a model server that speaks responses and completions."""
    shared_doors.server.requests.clear()
    return shared_doors


@pytest.fixture(scope="session")
def node_program() -> Iterator[Program]:
    with program(*NODE) as running:
        yield running


@pytest.fixture
def node(node_program: Program, rig: Rig) -> Client:
    """Clients for Node, which talk to the rig's proxy."""
    return Client(node_program, rig.proxy, rig.proxy.key)


@pytest.fixture
def node_at_doors(node_program: Program, doors: EndpointRig) -> Client:
    """The same, which talk to the proxy of the doors."""
    return Client(node_program, doors.proxy, doors.proxy.key)


@pytest.fixture(scope="session")
def litellm_program() -> Iterator[Program]:
    with program(*PYTHON, "tests.clients.litellm_program") as running:
        yield running


@pytest.fixture
def litellm(litellm_program: Program, rig: Rig) -> Client:
    return Client(litellm_program, rig.proxy, rig.proxy.key)


@pytest.fixture(scope="session")
def examples() -> Iterator[Program]:
    """Runs examples of the docs."""
    with program(*PYTHON, "tests.clients.examples_program") as running:
        yield running
