"""Jiang, Xie, Zhang, "Wishart Mechanism for Differentially Private Principal Components Analysis" (AAAI 2016).

Its claims in its own order, with places and modules: `python -m dpmatrix claims wishart` (`order.toml`).
Its printed algorithms, line by line, as printed and as they are run: `algorithms`.
"""
