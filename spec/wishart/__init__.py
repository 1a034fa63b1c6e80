"""Wishart."""
