"""What clients do on a wire that is only watched: whose client it is, whether it is stuck, and what ends that."""
