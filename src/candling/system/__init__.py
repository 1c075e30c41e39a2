"""Files, limits of memory and time, progress, addresses: what every room may use."""
