"""aiokafka's side of the driver."""
