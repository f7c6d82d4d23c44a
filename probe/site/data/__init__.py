"""What the pages are made from: matrix rows, run history, texts. Pure."""
