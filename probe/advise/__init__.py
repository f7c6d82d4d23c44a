"""Questions over stored cells: what changed, what an upgrade changes, do known results hold. No files, no runs."""
