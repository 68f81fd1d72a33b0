"""Analysis of complaints: words, patterns, and swear words."""
