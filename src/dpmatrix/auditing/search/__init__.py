"""The search for the most telling event: features, scores, thresholds, and the race of pairs. It proves nothing."""
