"""Clients that apps really use, each against a proxy and a model server on real sockets."""

from collections.abc import AsyncGenerator, Iterator

import pytest
import pytest_asyncio

from tests.clients.door_server import DoorHouse, DoorServer
from tests.clients.node_packages import why_not
from tests.clients.processes import NODE, PYTHON, Client, Program, program
from tests.fakes.house import RAW, House, open_house, upstream_yaml
from tests.fakes.running_proxy import running_proxy
from tests.flow import canteen

# Without Node its clients cannot run; what the suite says about it at its end is in the top folder.
collect_ignore_glob = ["test_node_*.py"] if why_not() else []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_house(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House, None]:
    """A house whose tenant ``raw`` has the model server that sends bytes.

    The tenant ``filtering`` ends replaced answers with ``content_filter``.
    """
    folder = tmp_path_factory.mktemp("house")
    others = {
        "raw": upstream_yaml(RAW) + canteen.TEMPLATES,
        "filtering": canteen.TENANTS["filtering"],
    }
    async with open_house(folder, canteen.TEMPLATES, others=others, keep_alive_s=1.0) as house:
        yield house


@pytest.fixture
def house(shared_house: House) -> House:
    return shared_house.tidied()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_doors(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[DoorHouse, None]:
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
        yield DoorHouse(proxy, server)


@pytest.fixture
def doors(shared_doors: DoorHouse) -> DoorHouse:
    """A proxy before a model server that speaks responses and completions."""
    shared_doors.server.requests.clear()
    return shared_doors


@pytest.fixture(scope="session")
def node_program() -> Iterator[Program]:
    with program(*NODE) as running:
        yield running


@pytest.fixture
def node(node_program: Program, house: House) -> Client:
    """Clients for Node, which talk to the house's proxy."""
    return Client(node_program, house.proxy, house.proxy.key)


@pytest.fixture
def node_at_doors(node_program: Program, doors: DoorHouse) -> Client:
    """The same, which talk to the proxy of the doors."""
    return Client(node_program, doors.proxy, doors.proxy.key)


@pytest.fixture(scope="session")
def litellm_program() -> Iterator[Program]:
    with program(*PYTHON, "tests.clients.litellm_program") as running:
        yield running


@pytest.fixture
def litellm(litellm_program: Program, house: House) -> Client:
    return Client(litellm_program, house.proxy, house.proxy.key)


@pytest.fixture(scope="session")
def examples() -> Iterator[Program]:
    """Runs examples of the docs."""
    with program(*PYTHON, "tests.clients.examples_program") as running:
        yield running
