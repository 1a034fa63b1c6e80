"""Neighbouring inputs: data sets with records in the unit ball, and centres for additive noise."""
