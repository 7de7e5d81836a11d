"""What clients send, one module a resource. Unknown fields are refused: none of them could do what its sender
hopes for."""
