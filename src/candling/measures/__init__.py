"""What is measured: a number of the table, how it gets noise, and how it is read."""
