"""Experiments that decided how candling works; README.md lists them."""
