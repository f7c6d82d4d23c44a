"""Child processes: started, ended with their parent, and scheduled after it."""
