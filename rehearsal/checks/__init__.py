"""What only a deployment can show: its gateway, queue, schedules, roles and keys."""
