"""Zhou, Ligett, Wasserman, "Differential Privacy with Compression" (ISIT 2009)."""
