"""A small manifest as dbt writes it, for the tests."""

from __future__ import annotations

from typing import Any

SCHEMA = "https://schemas.getdbt.com/dbt/manifest/v12.json"


def column_test(name: str, number: int, column: str | None, **kwargs: Any) -> dict[str, Any]:
    """A test of the model `orders`, or of its column."""
    package, _, short = name.rpartition(".")
    named = {} if column is None else {"column_name": column}
    return {
        "resource_type": "test",
        "name": f"{short}_{number}",
        "package_name": "shop",
        "column_name": column,
        "attached_node": "model.shop.orders",
        "test_metadata": {
            "name": short,
            "namespace": package or None,
            "kwargs": {"model": "{{ get_where_subquery(ref('orders')) }}", **named, **kwargs},
        },
        "config": {"severity": "ERROR", "where": None, "error_if": "!= 0", "enabled": True},
    }


def manifest() -> dict[str, Any]:
    """Two models with tests, a source without, and a model of another package."""
    model = {"resource_type": "model", "package_name": "shop", "columns": {}}
    columns = {
        "id": {"name": "id", "data_type": "integer", "constraints": [{"type": "not_null"}]},
        "status": {"name": "status"},
    }
    warning = column_test("accepted_values", 2, "status", values=["placed", "shipped"])
    warning["config"] |= {"severity": "WARN", "where": "id > 5"}
    reference = column_test("relationships", 3, "customer", to="ref('customers')", field="id")
    del reference["attached_node"]
    reference["depends_on"] = {"nodes": ["model.shop.customers", "model.shop.orders"]}
    pair = column_test("dbt_utils.unique_combination_of_columns", 4, None,
                       combination_of_columns=["a", "b"])  # fmt: skip
    pair["attached_node"] = "model.shop.customers"
    in_sql = {
        "resource_type": "test", "name": "positive", "package_name": "shop",
        "depends_on": {"nodes": ["model.shop.orders"]},
    }  # fmt: skip
    return {
        "metadata": {"dbt_schema_version": SCHEMA, "project_name": "shop"},
        "nodes": {
            "model.shop.orders": {**model, "name": "orders", "columns": columns},
            "model.shop.customers": {**model, "name": "customers"},
            "model.utils.x": {**model, "name": "x", "package_name": "utils"},
            "test.shop.1": column_test("unique", 1, "id"),
            "test.shop.2": warning,
            "test.shop.3": reference,
            "test.shop.4": pair,
            "test.shop.5": in_sql,
            "test.utils.6": {**column_test("unique", 6, "id"), "package_name": "utils"},
            "test.shop.7": {"resource_type": "test", "package_name": "shop", "name": "nowhere"},
            "odd": 3,
        },
        "sources": {
            "source.shop.raw.events": {
                "resource_type": "source", "source_name": "raw", "name": "events",
                "package_name": "shop", "columns": {"id": {"name": "id"}},
            },
        },
    }  # fmt: skip
