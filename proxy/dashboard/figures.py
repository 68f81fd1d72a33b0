"""How figures are written on the pages."""

NOTHING = "–"


def number(value: float | None) -> str:
    """Return a count with commas: 12,345."""
    return NOTHING if value is None else f"{value:,.0f}"


def percent(share: float | None) -> str:
    """Return a share from 0 to 1 in percent: 12.3%; never 0% or 100% for what is not quite."""
    if share is None:
        return NOTHING
    if 0 < share < 0.0005:
        return "<0.1%"
    if 0.9995 <= share < 1:
        return ">99.9%"
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def duration(ms: float | None) -> str:
    """Return a time given in milliseconds: 0.4 ms, 85 ms, 1.25 s, 2 min 5 s."""
    if ms is None:
        return NOTHING
    if ms < 9.95:
        return f"{ms:.1f} ms"
    if ms < 999.5:
        return f"{ms:.0f} ms"
    if ms < 59_995:
        return f"{ms / 1000:.2f} s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    return f"{minutes} min {seconds} s"
