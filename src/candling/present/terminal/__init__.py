"""What is written to a terminal: cards, and the lines and tables that all commands are made of."""
