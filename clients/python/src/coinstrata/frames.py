"""Tables as data frames of pandas or Polars."""

from __future__ import annotations

import datetime
import importlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

Library = Literal["pandas", "polars"]
Day = str | datetime.date
#: The first block's, at which all tables begin.
FIRST_DAY = "2009-01-03"


def load(name: str, extra: str) -> Any:
    """An optional package; says how to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        message = f"this needs {name}: pip install 'coinstrata[{extra}]'"
        raise ModuleNotFoundError(message, name=name) from error


def day(value: Day) -> str:
    """YYYY-MM-DD of a date, a time (its UTC day) or a text."""
    if isinstance(value, datetime.datetime):
        value = value.astimezone(datetime.timezone.utc).date() if value.tzinfo else value.date()
    return value.isoformat() if isinstance(value, datetime.date) else value


def names(metrics: str | Iterable[str]) -> list[str]:
    """Ids of metrics from a text with spaces or commas, or a list; each once."""
    listed = metrics.replace(",", " ").split() if isinstance(metrics, str) else list(metrics)
    if not listed:
        raise ValueError("name a metric, such as 'price mvrv'")
    return list(dict.fromkeys(listed))


def mentioned(query: str, tables: Iterable[str]) -> list[str]:
    """Tables whose names are words of the query."""
    words = set(re.findall(r"\w+", query))
    return sorted(words.intersection(tables))


def pandas_frame(table: Any, attrs: Mapping[str, Any], index: str | None = "date") -> Any:
    """Of an Arrow table; days become a `DatetimeIndex`, oldest first. Units are in `attrs`."""
    pandas = load("pandas", "pandas")
    frame = table.to_pandas(date_as_object=False)
    if index == "time":
        frame["time"] = pandas.to_datetime(frame["time"], utc=True)
    units = {
        field.name: field.metadata[b"unit"].decode()
        for field in table.schema
        if field.metadata and b"unit" in field.metadata
    }
    if index in frame.columns:
        frame = frame.set_index(index)
    frame.attrs.update({"units": units, **attrs})
    return frame
