"""`make rehearse`: the real template, deployed into an emulator of AWS here, used and taken away."""
