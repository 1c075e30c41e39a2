"""Private releases: what to ask for, what it costs, and the numbers. Knows no files."""

from candling.model.results import Planned
from candling.releases.plan import Plan, make_plan
from candling.releases.request import Request, make_request
from candling.releases.run import run_release

__all__ = ["Plan", "Planned", "Request", "make_plan", "make_request", "run_release"]
