"""kafka-python's side of the driver."""
