"""Mutation of the specification: change one thing that a module states, and see whether the evidence notices."""
