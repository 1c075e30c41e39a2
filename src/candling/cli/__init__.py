"""The `candling` command: one file per subcommand, and nothing heavy until one of them runs."""

from candling.cli.app import main

__all__ = ["main"]
