"""What several documents share: conditions, points of their statements, and linear algebra of exact matrices."""
