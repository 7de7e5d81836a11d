"""What protects a person: sealing and erasure."""
