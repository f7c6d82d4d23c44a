"""librdkafka's side of the driver."""
