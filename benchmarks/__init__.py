"""Speed of candling against other ways to the same numbers. Run by hand, see README.md."""
