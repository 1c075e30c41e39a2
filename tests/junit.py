"""Reads JUnit XML as the services for pipelines do, and refuses what the schema does not have."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

COUNTS = ("tests", "failures", "errors", "skipped")
ATTRIBUTES = {
    "testsuites": {"name", *COUNTS},
    "testsuite": {"name", *COUNTS},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "classname"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "system-out": set(),
}
INSIDE = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "properties": {"property"},
    "testcase": {"failure", "error", "system-out"},
}


@dataclass(frozen=True)
class Suite:
    name: str
    outcomes: dict[str, str]  # "passed", "failure" or "error", by the name of the test
    words: dict[str, str]
    properties: dict[str, str]


def read(text: str) -> Suite:
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) == ATTRIBUTES[element.tag], element.tag
        assert {child.tag for child in element} <= INSIDE.get(element.tag, set())
    (suite,) = root
    tests = suite.findall("testcase")
    outcomes, words = {}, {}
    for test in tests:
        (inner,) = test
        passed = inner.tag == "system-out"
        outcomes[test.attrib["name"]] = "passed" if passed else inner.tag
        words[test.attrib["name"]] = (inner.text or "") if passed else inner.attrib["message"]
    assert len(outcomes) == len(tests)
    told = [int(suite.attrib[name]) for name in COUNTS]
    listed = list(outcomes.values())
    assert told == [len(listed), listed.count("failure"), listed.count("error"), 0]
    assert root.attrib == {"name": "candling", **{n: suite.attrib[n] for n in COUNTS}}
    properties = {p.attrib["name"]: p.attrib["value"] for p in suite.iter("property")}
    return Suite(suite.attrib["name"], outcomes, words, properties)
