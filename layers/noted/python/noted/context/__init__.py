"""The prompt, from stable to volatile."""
