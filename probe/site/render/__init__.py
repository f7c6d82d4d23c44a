"""Templates, render workers, and the published folder."""
