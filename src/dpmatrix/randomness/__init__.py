"""Randomness that is exact: entropy, discrete samplers, and real numbers refined on demand."""
