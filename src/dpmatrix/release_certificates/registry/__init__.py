"""Entries for the public registry of deployments of differential privacy."""
