"""A second opinion: questions to a judge, its answers, and their effects."""
