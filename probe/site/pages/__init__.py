"""The content of each page, as values for its template. Pure."""
