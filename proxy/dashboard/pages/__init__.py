"""The pages, one file for each entry of the navigation."""
