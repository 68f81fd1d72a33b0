"""The rules of Prometheus as the kind that its operator takes.

``python -m tests.deploy.prometheus_rule`` writes it; a test fails when it is not what the rule
files say.
"""

from pydantic import JsonValue

from tests.deploy.yaml_files import DEPLOY, Fields, document_in, written

WRITTEN = DEPLOY / "kubernetes" / "monitoring" / "prometheusrule.yaml"
HEADING = "# Made from ../../prometheus/*.yaml by `python -m tests.deploy.prometheus_rule`.\n"


def prometheus_rule() -> Fields:
    """Return the object, the groups of all rule files one after another."""
    groups: list[JsonValue] = []
    for name in ("recording.yaml", "alerts.yaml"):
        found = document_in(DEPLOY / "prometheus" / name)["groups"]
        assert isinstance(found, list)
        groups += found
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "guard-proxy"},
        "spec": {"groups": groups},
    }


def main() -> None:
    WRITTEN.write_text(HEADING + written(prometheus_rule()), "utf-8")


if __name__ == "__main__":
    main()
