"""Policies decide: the YAML's shape, its loading, and the verdict over what the guards found."""
