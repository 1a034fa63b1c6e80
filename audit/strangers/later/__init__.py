"""Mechanisms of strangers that came later."""
