"""`python -m candling` is the command `candling`."""

from candling.cli import main

if __name__ == "__main__":
    main()
