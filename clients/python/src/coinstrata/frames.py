"""Tables as data frames of pandas or Polars."""

from __future__ import annotations

import datetime
import importlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
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


def day(value: Day | None, default: str | None = None) -> str | None:
    """YYYY-MM-DD of a date or a time (its UTC day); texts as they are, without one the default."""
    if value is None or value == "":
        return default
    if isinstance(value, datetime.datetime):
        value = value.astimezone(datetime.timezone.utc).date() if value.tzinfo else value.date()
    return value.isoformat() if isinstance(value, datetime.date) else value


def names(metrics: str | Iterable[str]) -> list[str]:
    """Ids of metrics from a text with spaces or commas, or a list; each once."""
    listed = metrics.replace(",", " ").split() if isinstance(metrics, str) else list(metrics)
    if not listed:
        raise ValueError("name a metric, such as 'price mvrv'")
    return list(dict.fromkeys(listed))


def moment(as_of: Day | None) -> str | None:
    """ISO 8601 of a time; a day or a text as it is."""
    return as_of.isoformat() if isinstance(as_of, datetime.date) else as_of or None


def check(library: str) -> None:
    if library not in ("pandas", "polars"):
        raise ValueError(f"library must be 'pandas' or 'polars', not {library!r}")


def parquet(file: Path) -> str:
    """A file, for a FROM clause. Names of folders such as `date=2024-05-05` are no columns."""
    path = file.as_posix()
    if re.search(r"[*?[]", path):
        raise ValueError(f"{path} cannot be read: its path has one of the signs * ? [")
    return "read_parquet('" + path.replace("'", "''") + "', hive_partitioning = false)"


def mentioned(query: str, tables: Iterable[str]) -> list[str]:
    """Tables whose names are words of the query, which SQL writes in any case."""
    words = set(re.findall(r"\w+", query.lower()))
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
