"""One pattern a file, wiring only; `graphs.catalogue` lists them."""
