"""dpmatrix."""
