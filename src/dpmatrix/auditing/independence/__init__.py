"""Whether outputs are independent: tests for repetitions in one process and in several, and frozen noise."""
