"""What leaves a model server no room for what was wrong: it can only write what is allowed."""

from proxy.constraints.asking import ConstrainedServers
from proxy.constraints.capabilities import Capabilities
from proxy.constraints.wanted import wanted

__all__ = ["Capabilities", "ConstrainedServers", "wanted"]
