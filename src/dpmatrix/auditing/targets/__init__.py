"""What is under audit: a mechanism as a target, what is seen of it, and its outputs in reproducible chunks."""
