"""The page of a server: try a text or a file, see what carries the answer, correct it.

One HTML file, one script and one sheet, which need nothing from elsewhere; what the page asks beside ``/predict`` is
below ``/page``. Texts stay in memory; only a correction is written, where the server was told a file for it.
"""

from sharprecl.serving.page.corrections import Corrections
from sharprecl.serving.page.routes import router

__all__ = ["Corrections", "router"]
