from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from .contract import Aggregate, Interval, Metric
from .errors import CoinstrataError
from .frames import FIRST_DAY, Day, Library, check, day, load, mentioned, moment, names, parquet

_PERIODS = {"1w": "week", "1m": "month", "1y": "year"}
_AGGREGATES = {
    "last": "arg_max(value, date)",
    "first": "arg_min(value, date)",
    "sum": "sum(value)",
    "mean": "avg(value)",
    "min": "min(value)",
    "max": "max(value)",
}


class Folder:
    """The published tables of a data folder, read with DuckDB, without a service.

    Each call reads one generation. Metrics are found by their ids.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder)
        self._connection = load("duckdb", "sql").connect()
        self._tables()

    def __repr__(self) -> str:
        return f"Folder({str(self.path)!r})"

    def frame(
        self,
        metrics: str | Iterable[str],
        start: Day | None = FIRST_DAY,
        end: Day | None = None,
        interval: Interval = "1d",
        as_of: Day | None = None,
        *,
        aggregate: Aggregate | None = None,
        library: Library = "pandas",
    ) -> Any:
        """As `Service.frame`, from the kept generations.

        Refuses what only a service computes: hours and blocks, and periods of metrics that have to
        be computed again from their inputs, such as SOPR by month (`aggregate` chooses another way).
        """
        tables = self._tables(as_of)
        asked = [self._definition(tables, id) for id in names(metrics)]
        days = _range(start, end)
        with self._connection.cursor() as connection:
            columns = [_select(tables, one, interval, aggregate) for one in asked]
            joined = " FULL JOIN ".join(
                f"({sql}) AS m{i}{' USING (date)' if i else ''}" for i, sql in enumerate(columns)
            )
            selected = ", ".join(f'm{i}.value AS "{one["id"]}"' for i, one in enumerate(asked))
            any_value = ", ".join(f'"{one["id"]}"' for one in asked)
            # As a service, from the first day with a value.
            result = connection.sql(
                f"""WITH read AS (SELECT date, {selected} FROM {joined})
                FROM read WHERE date >= (SELECT min(date) FROM read WHERE coalesce({any_value}) IS NOT NULL)
                ORDER BY date""",
                params=days,
            )
            generation = self._generation(tables)
            attrs = {
                "units": {one["id"]: one["unit"] for one in asked},
                "generation": generation["id"],
                "simulated": generation["simulated"],
            }
            return _frame(result, library, attrs)

    def first_published(
        self, metrics: str | Iterable[str], start: Day | None = FIRST_DAY, end: Day | None = None
    ) -> Any:
        """Values that were published first, by the end of the day after theirs; oldest first."""
        units = {
            one["id"]: one["unit"] for one in (self._definition(self._tables(), id) for id in names(metrics))
        }
        files = sorted((self.path / "first_published").glob("*.parquet"))
        if not files:
            raise CoinstrataError(
                "not_found", f"{self.path} has no first_published: it begins with a second publication"
            )
        columns = ", ".join(f"max(value) FILTER (metric = '{id}') AS \"{id}\"" for id in units)
        with self._connection.cursor() as connection:
            result = connection.sql(
                f"""SELECT date, {columns} FROM ({" UNION ALL ".join(f"FROM {parquet(file)}" for file in files)})
                WHERE date BETWEEN $start::DATE AND $end::DATE AND published_at < date + INTERVAL 2 DAY
                GROUP BY date ORDER BY date""",
                params=_range(start, end),
            )
            return _frame(result, "pandas", {"units": units, "first_published": True})

    def blocks(
        self, start: Day | None = FIRST_DAY, end: Day | None = None, *, library: Library = "pandas"
    ) -> Any:
        """One row for each block, oldest first; pandas: by height."""
        return self._days("blocks", start, end, library, "height")

    def cohort(
        self, name: str, start: Day | None = FIRST_DAY, end: Day | None = None, *, library: Library = "pandas"
    ) -> Any:
        """All measures of a cohort such as `sth`, `1y_2y` or `p2tr` by day, oldest first."""
        return self._days("cohorts", start, end, library, "date", name)

    def search(self, query: str, limit: int = 10) -> list[Metric]:
        """Metrics with all words of the query in their id, name or aliases; a service searches better."""
        words = query.lower().split()
        with self._connection.cursor() as connection:
            rows = connection.sql(
                f"""SELECT * FROM {_file(self._tables(), "catalogue")} WHERE list_bool_and(list_transform($words,
                    lambda word: contains(lower(concat_ws(' ', id, name, array_to_string(aliases, ' '))), word)))
                    ORDER BY cohort IS NOT NULL, length(id) LIMIT $limit""",
                params={"words": words, "limit": limit},
            )
            return _dicts(rows)

    def metric(self, id: str) -> Metric:
        """The definition of a metric: its unit, description, formula and source."""
        return cast("Metric", self._definition(self._tables(), id))

    def sql(self, query: str, *, library: Library = "pandas") -> Any:
        """Answers SQL; each published table has its name."""
        tables = self._tables()
        with self._connection.cursor() as connection:
            for name in mentioned(query, (file.stem for file in tables.glob("*.parquet"))):
                connection.execute(f'CREATE TEMP VIEW "{name}" AS FROM {_file(tables, name)}')
            return _frame(connection.sql(query), library, {}, None)

    def _tables(self, as_of: Day | None = None) -> Path:
        """Folder of the current generation, or of the newest one published by `as_of`."""
        published = self.path / "published"
        current = published / "current"
        if not (current / "generation.json").exists():
            raise CoinstrataError("data_not_ready", f"{published} has no published tables")
        at = moment(as_of)
        if at is None:
            return current.resolve()
        kept = {
            self._generation(one.parent)["created_at"]: one.parent
            for one in published.glob("*/generation.json")
        }
        latest = min(_end(at), self._generation(current)["created_at"])
        by = [created for created in kept if created <= latest]
        if not by:
            message = f"no generation published by {as_of} is kept; the first is of {min(kept)}"
            raise CoinstrataError("not_found", message, {"parameter": "as_of"})
        return kept[max(by)].resolve()

    def _generation(self, tables: Path) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads((tables / "generation.json").read_text("utf-8")))

    def _definition(self, tables: Path, id: str) -> dict[str, Any]:
        with self._connection.cursor() as connection:
            found = _dicts(
                connection.sql(f"FROM {_file(tables, 'catalogue')} WHERE id = $id", params={"id": id})
            )
        if not found:
            raise CoinstrataError("not_found", f"there is no metric '{id}'", {"parameter": "metrics"})
        return cast("dict[str, Any]", found[0])

    def _days(
        self,
        table: str,
        start: Day | None,
        end: Day | None,
        library: Library,
        index: str,
        cohort: str | None = None,
    ) -> Any:
        tables = self._tables()
        where = "" if cohort is None else "AND cohort = $cohort"
        values = {**_range(start, end), **({} if cohort is None else {"cohort": cohort})}
        with self._connection.cursor() as connection:
            sql = f"FROM {_file(tables, table)} WHERE date BETWEEN $start::DATE AND $end::DATE {where} ORDER BY {index}"
            frame = _frame(connection.sql(sql, params=values), library, {}, index)
        if cohort is not None and len(frame) == 0:
            raise CoinstrataError(
                "not_found", f"there is no cohort '{cohort}' on these days", {"parameter": "cohort"}
            )
        return frame


def _select(tables: Path, metric: dict[str, Any], interval: Interval, aggregate: Aggregate | None) -> str:
    """SQL of `date` and `value`, with the parameters `start` and `end`."""
    table, column, cohort = metric["table_name"], metric["column_name"], metric["cohort"]
    # From the catalogue, which the folder's own program wrote.
    where = "" if cohort is None else "AND cohort = '" + str(cohort).replace("'", "''") + "'"
    period = _PERIODS.get(interval, "day")
    # The first period is a whole one, as a service answers it.
    days = f"""SELECT date, "{column}"::DOUBLE AS value FROM {_file(tables, table)}
        WHERE date BETWEEN date_trunc('{period}', $start::DATE) AND $end::DATE {where}"""
    if interval == "1d":
        return days
    how = aggregate or metric["aggregate"]
    if interval not in _PERIODS or how not in _AGGREGATES:
        what = f"{metric['id']} by {interval}" if interval in _PERIODS else f"interval {interval}"
        raise CoinstrataError(
            "unsupported",
            f"only a service computes {what}: connect to its url, or choose an aggregate or interval='1d'",
        )
    return f"SELECT max(date) AS date, {_AGGREGATES[how]} AS value FROM ({days}) GROUP BY date_trunc('{period}', date)"


def _file(tables: Path, name: str) -> str:
    file = tables / f"{name}.parquet"
    if not file.exists():
        raise CoinstrataError("not_found", f"{tables} has no table {name}")
    return parquet(file)


def _dicts(result: Any) -> list[Any]:
    return [dict(zip(result.columns, row, strict=True)) for row in result.fetchall()]


def _frame(result: Any, library: Library, attrs: dict[str, Any], index: str | None = "date") -> Any:
    check(library)
    if library == "polars":
        load("polars", "polars")
        return result.pl()
    load("pandas", "pandas")
    frame = result.df()
    if index in frame.columns:
        frame = frame.set_index(index)
    frame.attrs.update(attrs)
    return frame


def _range(start: Day | None, end: Day | None) -> dict[str, str]:
    """Texts must be days, which DuckDB would not always refuse."""
    days = {"start": day(start) or FIRST_DAY, "end": day(end) or "9999-12-31"}
    for name, text in days.items():
        try:
            days[name] = datetime.date.fromisoformat(text).isoformat()
        except ValueError as error:
            raise ValueError(f"a day is a date or YYYY-MM-DD, not {text!r}") from error
    if days["end"] < days["start"]:
        raise ValueError(f"end {days['end']} is before start {days['start']}")
    return days


def _end(as_of: str) -> str:
    """As `created_at` of generations; a day is its end."""
    if len(as_of) == len("2026-01-01"):
        return f"{as_of}T23:59:59.999Z"
    try:
        at = datetime.datetime.fromisoformat(as_of.replace("Z", "+00:00"))
    except ValueError as error:
        raise ValueError(f"as_of is a day or a time such as 2026-01-31T12:00Z, not {as_of!r}") from error
    at = at if at.tzinfo else at.replace(tzinfo=datetime.timezone.utc)
    return at.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
