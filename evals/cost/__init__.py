"""What a conversation costs: tokens, cached prefixes and price, by the way in which history is sent."""
