"""Tools of other languages and their package registries: where they are, how they run, and what they download."""
