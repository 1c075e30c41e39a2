"""What people see of a card: on a terminal, as a page, as text, compared, or judged by gates.

Every module takes the `Card` itself; none knows how a number was made.
"""
