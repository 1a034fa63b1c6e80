"""What `sliding-window` states (Upadhyay, Upadhyay: A Framework for Private Matrix Analysis).

Its claims in its own order, with places and modules: `python -m dpmatrix claims sliding-window` (`order.toml`).
Its printed algorithms, line by line, as printed and as they are run: `algorithms`.
"""
