"""Token servers of trials: clients of OAUTHBEARER (KIP-255) get their tokens there."""
