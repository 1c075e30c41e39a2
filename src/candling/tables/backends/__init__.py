"""One module for each engine, with the same names inside."""
