"""Load on the whole service over HTTP, and what a deployment costs and where its quotas end."""
