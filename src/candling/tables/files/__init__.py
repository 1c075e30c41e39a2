"""Tables in files: one module for each format."""
