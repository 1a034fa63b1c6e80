"""Chaudhuri, Sarwate, Sinha, "A Near-Optimal Algorithm for Differentially-Private Principal Components" (JMLR 2013)."""
