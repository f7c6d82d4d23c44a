"""Tools of other languages and their package registries: where they are, how they are run, what they fetch."""
