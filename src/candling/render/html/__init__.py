"""Views as HTML."""

from candling.render.html.page import embedded, made_by, render_cell, render_page

__all__ = ["embedded", "made_by", "render_cell", "render_page"]
