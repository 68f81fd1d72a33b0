"""What the pages call actions and guards; templates translate the words."""

from policies.schema.guard_rule import Action
from proxy.dashboard.languages import msgid
from proxy.traces.trace import NOTHING_DECIDED

ACTION_WORDS = {
    Action.PASS.value: msgid("Passed"),
    Action.FIX.value: msgid("Mended"),
    Action.TRIM.value: msgid("Trimmed"),
    Action.REGENERATE.value: msgid("Regenerated"),
    Action.REPLACE.value: msgid("Replaced"),
    NOTHING_DECIDED: msgid("Undecided"),
}
GUARD_WORDS = {
    "answerability": msgid("Nothing to answer from"),
    "citations": msgid("Citation marks"),
    "complaint": msgid("Complaints and abuse"),
    "conflict": msgid("Conflicting sources"),
    "contact": msgid("Contact details"),
    "estimates": msgid("Estimates"),
    "korean_only": msgid("Korean only"),
    "legal_citation": msgid("References to law"),
    "names": msgid("Names"),
    "negation": msgid("Turned into the opposite"),
    "numbers": msgid("Figures"),
    "overlap": msgid("Words not in the sources"),
    "personal_data": msgid("Personal data"),
    "phrases": msgid("Unwanted phrases"),
    "places": msgid("Places"),
    "quality": msgid("Broken text"),
    "scope": msgid("Outside the scope"),
    "transport": msgid("Ways to get there"),
    "uncited_claims": msgid("Uncited claims"),
}


def action_word(action: str) -> str:
    """Return the word for an action; one that is not known stands for itself."""
    return ACTION_WORDS.get(action, action)


def guard_word(guard: str) -> str:
    """Return the word for a guard; one that is not known stands for itself."""
    return GUARD_WORDS.get(guard, guard)
