"""Everything that drivers may import: the messages of proto/driver.proto (generated), and Kafka's names of errors."""
