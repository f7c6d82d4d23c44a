"""The content of the pages, as values for their templates. Pure."""
