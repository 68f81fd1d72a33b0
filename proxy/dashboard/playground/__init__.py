"""What stands behind the playground: a question asked, or an answer checked, and what it showed."""
