"""Points of statements as a person writes them: read exactly, written, and asked (`dpmatrix.points.asking`)."""
