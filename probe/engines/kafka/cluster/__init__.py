"""Server processes of real Kafka, and the clusters that they make."""
