"""A certificate of one release: what its file says, recomputed where that is possible, in words, and signed."""
