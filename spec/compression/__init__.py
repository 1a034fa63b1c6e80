"""Zhou, Ligett, Wasserman, "Differential Privacy with Compression" (ISIT 2009).

Its claims in its own order, with places and modules: `python -m dpmatrix claims compression` (`order.toml`).
Its printed algorithms, line by line, as printed and as they are run: `algorithms`.
"""
