"""The audit of low bits: outputs as binary numbers, their events, and what they give away."""
