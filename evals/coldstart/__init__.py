"""What a cold start of each function costs."""
