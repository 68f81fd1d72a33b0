"""What the overview shows: counts of a span of time, and the state of the service right now."""
