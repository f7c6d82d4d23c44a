"""The Spark side: settle trial rows into the matrix, and judge stored histories again. It has no rules about Kafka."""
