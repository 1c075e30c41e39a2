"""Private releases: what to ask for, what it costs, and the scorecard. Knows no files."""

from candling.releases.facts import Facts, RepairNumber
from candling.releases.method import Method, Repair, Truncation
from candling.releases.plan import Plan, Planned, make_plan
from candling.releases.request import Request, make_request
from candling.releases.run import run_release
from candling.releases.statistics import thresholded

__all__ = [
    "Facts",
    "Method",
    "Plan",
    "Planned",
    "Repair",
    "RepairNumber",
    "Request",
    "Truncation",
    "make_plan",
    "make_request",
    "run_release",
    "thresholded",
]
