"""Lecture on Dwork, Talwar, Thakurta, Zhang, "Analyze Gauss: Optimal Bounds for Privacy-Preserving PCA" (STOC 2014)."""
