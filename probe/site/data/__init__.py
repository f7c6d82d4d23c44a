"""The data of the pages: matrix rows, run history, texts. Pure."""
