"""One file per fault state: what the brokers do, which error the client meets, what a good client does."""
