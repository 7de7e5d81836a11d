"""Tools that the answering model may be given. `registry` lists them."""
