"""Chaudhuri, Sarwate, Sinha, "A Near-Optimal Algorithm for Differentially-Private Principal Components" (JMLR 2013).

Its claims in its own order, with places and modules: `python -m dpmatrix claims near-optimal` (`order.toml`).
Its printed algorithms, line by line, as printed and as they are run: `algorithms`.
"""
