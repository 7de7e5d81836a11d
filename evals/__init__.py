"""What the project measures about itself: recall quality, speed, cost and load."""
