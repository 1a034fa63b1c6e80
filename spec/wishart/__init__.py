"""Jiang, Xie, Zhang, "Wishart Mechanism for Differentially Private Principal Components Analysis" (AAAI 2016)."""
