"""The report: figures, tables and findings of a judged classifier, as one HTML page that needs no network.

``page.write_report`` writes it from a ``data.ReportData``. The doctor and the experiments make their pages with the
same parts: ``render`` (templates and style) and ``svg`` (matplotlib figures that follow the page). Nothing is exported
here, so that a caller of one part does not load the others.
"""
