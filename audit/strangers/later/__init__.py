"""Mechanisms that strangers wrote later than the first ones."""
