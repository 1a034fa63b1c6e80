"""What counts of a fixed event prove, at which confidence, and what a pass could have caught."""
