"""The Spark side: trial rows to the matrix, and stored histories judged again. No rule about Kafka stands here."""
