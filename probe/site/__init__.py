"""The published site: HTML pages from matrix rows and stored trials. Pages need neither a server nor a network."""

from probe.site.data.matrix_rows import SiteError
from probe.site.data.source import Source, TrialRow
from probe.site.render.build import build
from probe.site.timeline.picture import timeline_svg

__all__ = ["SiteError", "Source", "TrialRow", "build", "timeline_svg"]
