"""The manifests for Kubernetes: valid by its own schemas, and true to the program."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import kubernetes_validate
import pytest
from pydantic import JsonValue

from policies.schema.loader import load_policies
from proxy.cli.serve import CLOSING_S
from proxy.metrics import Metrics
from proxy.settings import Settings
from tests.deploy.dockerfile import stages
from tests.deploy.kustomization import Objects, built
from tests.deploy.objects import (
    POD_OWNERS,
    at,
    deep,
    each,
    fields,
    has_labels,
    name_of,
    seconds,
    texts,
)
from tests.deploy.prometheus_rule import WRITTEN, prometheus_rule
from tests.deploy.yaml_files import DEPLOY, Fields, document_in
from tests.fakes.running_proxy import RunningProxy
from tests.tables import each_row

KUBERNETES = DEPLOY / "kubernetes"
OVERLAYS = {name: built(KUBERNETES / "overlays" / name) for name in ("small", "production")}
SMALL, PRODUCTION = OVERLAYS.values()
VERSIONS = ("1.30", "1.37")
"""The oldest that is promised, and the newest whose schemas there are."""
OF_OPERATOR = frozenset({"ServiceMonitor", "PrometheusRule"})
SECRETS = frozenset({"guard-proxy", "guard-proxy-redis"})
"""Made by hand, as the README says: nothing secret is in a file."""
IMAGE = stages()[-1]


def objects() -> Iterator[tuple[str, Fields]]:
    for overlay, found in OVERLAYS.items():
        for (kind, name), one in found.items():
            yield f"{overlay}-{kind}-{name}", one


def of_kind(found: Objects, *kinds: str) -> list[Fields]:
    return [one for (kind, _), one in found.items() if kind in kinds]


OF_KUBERNETES = [
    pytest.param(one, id=name) for name, one in objects() if str(one["kind"]) not in OF_OPERATOR
]
WITH_PODS = [
    pytest.param(one, id=name) for name, one in objects() if str(one["kind"]) in POD_OWNERS
]
BY_OVERLAY = [pytest.param(found, id=name) for name, found in OVERLAYS.items()]


@each_row("version", VERSIONS)
@each_row("one", OF_KUBERNETES)
def test_an_object_is_valid(one: Fields, version: str) -> None:
    kubernetes_validate.validate(one, version, strict=True)


def test_what_is_misspelt_is_noticed() -> None:
    broken: Fields = {**SMALL["Service", "guard-proxy"], "spec": {"selectors": {}}}

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSIONS[0], strict=True)


@pytest.mark.parametrize("found", BY_OVERLAY)
def test_selectors_find_their_pods(found: Objects) -> None:
    pods = [fields(one, "spec.template.metadata.labels") for one in of_kind(found, *POD_OWNERS)]
    selectors = [
        *(fields(one, "spec.selector") for one in of_kind(found, "Service")),
        *(
            fields(one, "spec.selector.matchLabels")
            for one in of_kind(found, *POD_OWNERS, "PodDisruptionBudget")
        ),
        *(fields(one, "spec.podSelector.matchLabels") for one in of_kind(found, "NetworkPolicy")),
        *(
            fields(spread, "labelSelector.matchLabels")
            for one in of_kind(found, *POD_OWNERS)
            for spread in each(one, "spec.template.spec.topologySpreadConstraints")
        ),
    ]

    assert len(selectors) > len(pods)
    for selector in selectors:
        assert sum(has_labels(labels, selector) for labels in pods) == 1


@pytest.mark.parametrize("found", BY_OVERLAY)
def test_everything_is_in_one_namespace_that_lets_no_privileges_in(found: Objects) -> None:
    [namespace] = of_kind(found, "Namespace")

    enforced = at(namespace, "metadata.labels")
    assert isinstance(enforced, dict)
    assert enforced["pod-security.kubernetes.io/enforce"] == "restricted"
    for one in found.values():
        assert one is namespace or at(one, "metadata.namespace") == name_of(namespace)


@pytest.mark.parametrize("owner", WITH_PODS)
def test_pods_fit_the_restricted_profile(owner: Fields) -> None:
    spec = at(owner, "spec.template.spec")
    user = fields(spec, "securityContext")
    [container] = each(spec, "containers")
    rights = fields(container, "securityContext")

    assert user["runAsNonRoot"] is True
    assert at(user, "seccompProfile.type") == "RuntimeDefault"
    assert rights["allowPrivilegeEscalation"] is False
    assert rights["readOnlyRootFilesystem"] is True
    assert at(rights, "capabilities") == {"drop": ["ALL"]}
    assert at(spec, "automountServiceAccountToken") is False
    assert at(spec, "enableServiceLinks") is False  # they would set GUARD_PROXY_PORT
    kinds = {key for volume in each(spec, "volumes") for key in volume if key != "name"}
    assert kinds <= {"configMap", "emptyDir", "persistentVolumeClaim"}


@pytest.mark.parametrize("found", BY_OVERLAY)
def test_pods_are_those_of_the_image(found: Objects) -> None:
    deployment = found["Deployment", "guard-proxy"]
    spec = at(deployment, "spec.template.spec")
    [container] = each(spec, "containers")
    mounts = {str(one["name"]): str(one["mountPath"]) for one in each(container, "volumeMounts")}

    assert f"{at(spec, 'securityContext.runAsUser')}" == IMAGE.last("USER").said.partition(":")[0]
    assert at(container, "ports.0.containerPort") == int(IMAGE.environment["GUARD_PROXY_PORT"])
    assert mounts["policies"] == IMAGE.environment["GUARD_PROXY_POLICIES"]
    assert mounts["state"] == str(Path(IMAGE.environment["GUARD_PROXY_SQLITE_PATH"]).parent)
    assert mounts["tmp"] == IMAGE.environment["TMPDIR"]
    assert mounts.keys() == {str(one["name"]) for one in each(spec, "volumes")}
    assert texts(container, "args") == IMAGE.last("CMD").words


@pytest.mark.parametrize("found", BY_OVERLAY)
def test_what_is_named_exists(found: Objects) -> None:
    for owner in of_kind(found, *POD_OWNERS):
        for kind, way in (
            ("ConfigMap", "configMap.name"),
            ("PersistentVolumeClaim", "persistentVolumeClaim.claimName"),
        ):
            for volume in each(owner, "spec.template.spec.volumes"):
                name = at(volume, way)
                assert name is None or (kind, name) in found
        for key in ("secretRef", "secretKeyRef"):
            assert {at(one, "name") for one in deep(owner, key)} <= SECRETS
        account = at(owner, "spec.template.spec.serviceAccountName")
        assert account is None or ("ServiceAccount", account) in found
    for scaler in of_kind(found, "HorizontalPodAutoscaler"):
        target = fields(scaler, "spec.scaleTargetRef")
        assert (target["kind"], target["name"]) in found
    for one in of_kind(found, "StatefulSet"):
        assert ("Service", at(one, "spec.serviceName")) in found


@pytest.mark.parametrize("found", BY_OVERLAY)
def test_ports_are_those_of_containers(found: Objects) -> None:
    named = {
        port["name"]
        for owner in of_kind(found, *POD_OWNERS)
        for port in each(owner, "spec.template.spec.containers.0.ports")
    }
    asked = [
        *(
            port["targetPort"]
            for one in of_kind(found, "Service")
            for port in each(one, "spec.ports")
        ),
        *(
            port["port"]
            for one in of_kind(found, "NetworkPolicy")
            for rule in each(one, "spec.ingress")
            for port in each(rule, "ports")
        ),
        *(
            one
            for owner in of_kind(found, *POD_OWNERS)
            for get in deep(owner, "httpGet")
            for one in [at(get, "port")]
        ),
    ]

    assert set(asked) == named


async def test_probes_ask_for_what_answers(proxy: RunningProxy) -> None:
    asked = {str(at(one, "path")) for one in deep([*SMALL.values()], "httpGet")}
    scraped = {
        str(at(one, "path"))
        for one in each(PRODUCTION["ServiceMonitor", "guard-proxy"], "spec.endpoints")
    }

    assert asked == {"/healthz", "/readyz"}
    for path in asked | scraped:
        assert (await proxy.client.get(f"{proxy.address}{path}")).status_code == 200


def settings_of(found: Objects) -> Settings:
    """Return the settings that a pod's variables come to."""
    [container] = each(found["Deployment", "guard-proxy"], "spec.template.spec.containers")
    given = {str(one["name"]): str(one["value"]) for one in each(container, "env")}
    known = {f"GUARD_PROXY_{name.upper()}": name for name in Settings.model_fields}
    assert given.keys() <= known.keys()
    return Settings.model_validate({known[name]: value for name, value in given.items()})


@pytest.mark.parametrize("found", BY_OVERLAY)
def test_traces_that_wait_never_cost_a_pod_its_volume(found: Objects) -> None:
    volumes = each(found["Deployment", "guard-proxy"], "spec.template.spec.volumes")
    [state] = [one for one in volumes if at(one, "name") == "state"]
    said = at(state, "emptyDir.sizeLimit") or at(
        found.get(("PersistentVolumeClaim", str(at(state, "persistentVolumeClaim.claimName")))),
        "spec.resources.requests.storage",
    )

    number, unit = str(said)[:-2], str(said)[-2:]
    assert unit == "Gi"
    assert settings_of(found).max_outbox_bytes * 1.1 < int(number) * 2**30


@pytest.mark.parametrize("found", BY_OVERLAY)
def test_a_pod_may_end_everything_before_it_is_killed(found: Objects, tmp_path: Path) -> None:
    settings = settings_of(found)
    for name, text in fields(found["ConfigMap", "guard-proxy-policies"], "data").items():
        (tmp_path / name).write_text(str(text), "utf-8")
    [policy] = load_policies(tmp_path, require_env=False).values()
    upstream = policy.policy.upstream
    assert upstream is not None
    grace = at(
        found["Deployment", "guard-proxy"], "spec.template.spec.terminationGracePeriodSeconds"
    )

    assert settings.unready_s >= 5
    assert settings.shutdown_s >= upstream.timeouts.total_s
    assert isinstance(grace, int)
    assert grace > settings.unready_s + settings.shutdown_s + CLOSING_S


def test_policies_are_read_again_where_they_lie() -> None:
    """A name with a hash, or a mount of single files, would need new pods for each edit."""
    for found in OVERLAYS.values():
        deployment = found["Deployment", "guard-proxy"]
        assert not list(deep(deployment, "subPath"))
        assert ("ConfigMap", "guard-proxy-policies") in found


def test_one_pod_keeps_its_traces_and_several_share_a_redis() -> None:
    one, several = (found["Deployment", "guard-proxy"] for found in (SMALL, PRODUCTION))

    assert at(one, "spec.strategy") == {"type": "Recreate"}
    assert at(one, "spec.replicas") == 1
    assert "replicas" not in fields(several, "spec")
    assert at(several, "spec.strategy.rollingUpdate.maxUnavailable") == 0
    assert ("StatefulSet", "guard-proxy-redis") in PRODUCTION
    command = texts(
        PRODUCTION["StatefulSet", "guard-proxy-redis"], "spec.template.spec.containers.0.args"
    )
    pairs = dict(zip(command[1::2], command[2::2], strict=True))
    assert pairs["--appendonly"] == "yes"
    assert pairs["--maxmemory-policy"] == "noeviction"


def test_pods_reach_redis_and_redis_only_them() -> None:
    pods = fields(PRODUCTION["Deployment", "guard-proxy"], "spec.template.metadata.labels")
    redis = fields(PRODUCTION["StatefulSet", "guard-proxy-redis"], "spec.template.metadata.labels")
    out = each(PRODUCTION["NetworkPolicy", "guard-proxy"], "spec.egress")
    way_in = each(PRODUCTION["NetworkPolicy", "guard-proxy-redis"], "spec.ingress")

    assert [rule for rule in out if _selects(rule, "to", redis)]
    assert [_selects(rule, "from", pods) for rule in way_in] == [True]
    assert not [rule for rule in way_in if _selects(rule, "from", redis)]


def _selects(rule: Fields, way: str, labels: Mapping[str, JsonValue]) -> bool:
    return any(
        has_labels(labels, fields(one, "podSelector.matchLabels")) for one in each(rule, way)
    )


def test_pods_are_added_by_a_metric_that_there_is() -> None:
    scaler = PRODUCTION["HorizontalPodAutoscaler", "guard-proxy"]
    [rule] = each(document_in(KUBERNETES / "monitoring" / "adapter-rules.yaml"), "rules.custom")
    [asked] = [
        at(one, "pods.metric.name") for one in each(scaler, "spec.metrics") if one["type"] == "Pods"
    ]

    assert asked == at(rule, "name.as") == at(rule, "name.matches")
    assert asked in {family.name for family in Metrics().described}
    assert str(at(rule, "seriesQuery")).startswith(f"{asked}{{")


def test_the_monitor_finds_the_service() -> None:
    monitor = PRODUCTION["ServiceMonitor", "guard-proxy"]
    wanted = fields(monitor, "spec.selector.matchLabels")
    [endpoint] = each(monitor, "spec.endpoints")
    chosen = [
        one
        for one in of_kind(PRODUCTION, "Service")
        if has_labels(fields(one, "metadata.labels"), wanted)
    ]

    assert [name_of(one) for one in chosen] == ["guard-proxy"]
    assert endpoint["port"] in {port["name"] for port in each(chosen[0], "spec.ports")}
    assert seconds(endpoint["scrapeTimeout"]) < seconds(endpoint["interval"])


def test_the_rules_are_those_of_prometheus() -> None:
    """To mend: python -m tests.deploy.prometheus_rule."""
    assert document_in(WRITTEN) == prometheus_rule()
