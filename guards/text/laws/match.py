"""Whether an article, or a mention of one, reaches as deep as a reference does."""

from guards.text.laws.article import Article, Division
from guards.text.laws.law import LawReference


def divisions_of(article: Article, paragraph: int | None) -> tuple[Division, ...]:
    """Return the divisions of an article that a paragraph means; all if none is said."""
    if paragraph is None:
        return (article.whole, *article.paragraphs.values())
    if article.paragraphs:
        found = article.paragraphs.get(paragraph)
        return (found,) if found else ()
    # Internal rules number their paragraphs "1.", "2."; statutes announce items by "각 호".
    listed = not article.whole.announces_items and (paragraph, 0) in article.whole.items
    return (article.whole,) if paragraph == 1 or listed else ()


def sets_out(article: Article, reference: LawReference) -> bool:
    """Tell whether an article has the paragraph, item and sub-item of a reference."""
    divisions = divisions_of(article, reference.paragraph)
    if reference.item is None:
        return bool(divisions)
    key = (reference.item, reference.item_branch)
    return any(
        key in division.items and reference.subitem in division.items[key] for division in divisions
    )


def is_of_same(mention: LawReference, reference: LawReference) -> bool:
    """Tell whether a mention is of a reference's article, or of a range of articles around it."""
    if mention.number == reference.number:
        return mention.branch == reference.branch
    if mention.since is None or mention.number is None or reference.number is None:
        return False
    return mention.paragraph is None and mention.since <= reference.number <= mention.number


def reaches(mention: LawReference, reference: LawReference) -> bool:
    """Tell whether a mention of the same article goes as deep as a reference, on the same way."""
    if reference.item is None:
        return reference.paragraph is None or (
            mention.paragraph == reference.paragraph
            or (mention.item is None and _in_range(mention, mention.paragraph, reference.paragraph))
        )
    if reference.paragraph is not None and mention.paragraph != reference.paragraph:
        return False
    if _in_range(mention, mention.item, reference.item):
        return True
    same = (mention.item, mention.item_branch) == (reference.item, reference.item_branch)
    return same and reference.subitem in mention.subitem


def _in_range(mention: LawReference, last: int | None, number: int) -> bool:
    return mention.since is not None and last is not None and mention.since <= number <= last


def is_same_place(mention: LawReference, reference: LawReference) -> bool:
    """Tell whether a mention is of a reference's table, form, addendum or chapter."""
    if reference.promulgation is not None and mention.promulgation != reference.promulgation:
        return False
    return reference.number is None or is_of_same(mention, reference)
