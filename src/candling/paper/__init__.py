"""The published algorithms, noise generators and experiments, kept apart from the product.

Nothing outside this package imports it. What is here draws from seeded pseudo-random generators
and may look at the data as it likes: none of it is private.
"""
