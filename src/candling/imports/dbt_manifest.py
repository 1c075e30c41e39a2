"""dbt's `manifest.json`: the whole project, with its tests as nodes of a graph.

Every model, seed, snapshot and source of the project becomes what it would be in a `schema.yml`, so
that `dbt.py` reads both alike. Packages that the project uses are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from candling.imports.documents import Items, Map

_KINDS = ("model", "seed", "snapshot", "source")
_NOT_ARGUMENTS = ("model", "column_name")


def is_manifest(document: Any) -> bool:
    """Whether a document is a manifest."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("nodes"), dict)
        and isinstance(document.get("metadata"), dict)
        and "dbt_schema_version" in document["metadata"]
    )


def models_of(document: Map) -> dict[str, Map]:
    """The tables of the project by their names, in the form of a schema file."""
    project = document["metadata"].get("project_name")
    parts: dict[str, Map] = {}
    tests = []
    for key, node in _nodes(document):
        if project is not None and node.get("package_name") not in (project, None):
            continue
        if node.get("resource_type") in _KINDS:
            parts[key] = _part(node)
        elif node.get("resource_type") == "test":
            tests.append(node)
    for test in tests:
        about = parts.get(_find_model(test))
        if about is not None:
            _attach(test, about)
    return {part["name"]: part for part in parts.values()}


def _nodes(document: Map) -> Iterator[tuple[str, Map]]:
    for kind in ("nodes", "sources"):
        listed = document.get(kind)
        if isinstance(listed, Map):
            yield from ((key, node) for key, node in listed.items() if isinstance(node, Map))


def _part(node: Map) -> Map:
    """A table with its columns, to which tests are added."""
    made = Map()
    name = str(node.get("name"))
    made["name"] = f"{node.get('source_name')}.{name}" if "source_name" in node else name
    made["constraints"] = node.get("constraints")
    made["data_tests"] = Items()
    made["columns"] = Items()
    columns = node.get("columns")
    for key, column in columns.items() if isinstance(columns, Map) else ():
        part = Map()
        if isinstance(column, Map):
            part["data_type"], part["constraints"] = (
                column.get("data_type"),
                column.get("constraints"),
            )
        part["name"] = key
        part["data_tests"] = Items()
        made["columns"].append(part)
    return made


def _find_model(test: Map) -> str:
    """The key of the table that a test is about; empty if it is about several."""
    attached = test.get("attached_node")
    if isinstance(attached, str):
        return attached
    depends = test.get("depends_on")
    needed = depends.get("nodes") if isinstance(depends, Map) else None
    tables = [key for key in needed or () if isinstance(key, str)]
    # A test of references names the table that it is about last.
    return tables[-1] if len(tables) == 1 or (tables and _metadata(test)) else ""


def _attach(test: Map, about: Map) -> None:
    """Add a test to the column, or to the table, that it is about."""
    metadata = _metadata(test)
    given = metadata.get("kwargs")
    arguments = Map()
    for key, value in given.items() if isinstance(given, Mapping) else ():
        if key not in _NOT_ARGUMENTS:
            arguments[key] = value
    package = metadata.get("namespace")
    name = str(metadata.get("name") or test.get("name"))
    inner = Map()
    inner["arguments"] = arguments
    config = test.get("config")
    inner["config"] = config if isinstance(config, Map) else Map()
    item = Map()
    item[f"{package}.{name}" if isinstance(package, str) else name] = inner
    column = test.get("column_name") or (given or {}).get("column_name")
    if not isinstance(column, str):
        _append(about["data_tests"], item)
        return
    for part in about["columns"]:
        if part["name"].lower() == column.lower():
            _append(part["data_tests"], item)
            return
    part = Map()
    part["name"], part["data_tests"] = column, Items()
    _append(part["data_tests"], item)
    about["columns"].append(part)


def _append(tests: Items, item: Map) -> None:
    tests.append(item)
    tests.lines.append(0)  # a manifest does not say


def _metadata(test: Map) -> Mapping[str, Any]:
    """What a test of columns says of itself; a test in SQL says nothing."""
    metadata = test.get("test_metadata")
    return metadata if isinstance(metadata, Map) else {}
