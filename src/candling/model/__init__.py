"""Plain, frozen data that every room may import: cards, numbers, gates, receipts."""
