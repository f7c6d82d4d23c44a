"""The published site: matrix rows and stored trials to HTML that needs neither server nor network."""

from probe.site.build import build
from probe.site.rows import SiteError
from probe.site.source import Source, TrialRow
from probe.site.timeline import timeline_svg

__all__ = ["SiteError", "Source", "TrialRow", "build", "timeline_svg"]
