"""Policy files: what they may say, how they are read, inherited and kept current."""
