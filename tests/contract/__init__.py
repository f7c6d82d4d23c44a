"""What every client driver must do."""
