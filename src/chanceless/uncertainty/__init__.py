"""How sure is a score? Intervals, and differences between two scores."""
