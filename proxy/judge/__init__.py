"""Judges behind HTTP: how each kind is asked, and when one is left alone for a while."""
