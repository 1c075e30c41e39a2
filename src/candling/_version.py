"""The version of candling, alone, so that every room may import it."""

__version__ = "0.1.0"
