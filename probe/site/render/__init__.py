"""Templates, render workers, and the folder that is published."""
