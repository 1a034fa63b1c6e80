"""Lecture on Dwork, Talwar, Thakurta, Zhang, "Analyze Gauss: Optimal Bounds for Privacy-Preserving PCA" (STOC 2014).

Its claims in its own order, with places and modules: `python -m dpmatrix claims analyze-gauss` (`order.toml`).
Its printed algorithms, line by line, as printed and as they are run: `algorithms`.
"""
