from __future__ import annotations

import datetime
import email.utils
import io
import json
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import httpx

from .contract import Aggregate, Interval, Metric
from .errors import CoinstrataError, PartialData
from .frames import (
    FIRST_DAY,
    Day,
    Library,
    check,
    day,
    load,
    mentioned,
    moment,
    names,
    pandas_frame,
    parquet,
)

_TEMPORARY = {429, 500, 502, 503, 504}
_RETRIES = 2


class Service:
    """A Coinstrata service over HTTP. Its answers are those of one generation each."""

    def __init__(
        self, url: str, key: str | None = None, *, timeout: float = 60, max_wait: float = 60
    ) -> None:
        """`max_wait`: longest time in seconds that it waits if the service asks for patience."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.url = url.rstrip("/")
        self._client = httpx.Client(base_url=self.url, headers=headers, timeout=timeout)
        self._max_wait = max_wait
        self.alerts = Alerts(self)

    def __repr__(self) -> str:
        return f"Service({self.url!r})"

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def frame(
        self,
        metrics: str | Iterable[str] = (),
        start: Day | None = FIRST_DAY,
        end: Day | None = None,
        interval: Interval = "1d",
        as_of: Day | None = None,
        *,
        formula: str | None = None,
        aggregate: Aggregate | None = None,
        library: Library = "pandas",
    ) -> Any:
        """Metrics by day or another interval, oldest first, all of one generation.

        pandas: `date` is the index (`time` for hours and blocks), `attrs` has `units`, `generation`
        and `simulated`. Polars: a column. `as_of`: as published by then. `formula` adds a column of
        this name. Raises `PartialData` if the key sees only a part.
        """
        asked = names(metrics) if metrics or formula is None else []
        return self._rows(
            "/v1/series",
            library,
            metrics=",".join(asked) or None,
            formula=formula,
            start_date=day(start, FIRST_DAY),
            end_date=day(end),
            interval=interval,
            aggregate=aggregate,
            as_of=moment(as_of),
        )

    def blocks(
        self, start: Day | None = FIRST_DAY, end: Day | None = None, *, library: Library = "pandas"
    ) -> Any:
        """One row for each block, oldest first; pandas: by height."""
        first, until = day(start, FIRST_DAY), day(end)
        return self._rows("/v1/blocks", library, "height", start_date=first, end_date=until, fields="all")

    def cohort(
        self, name: str, start: Day | None = FIRST_DAY, end: Day | None = None, *, library: Library = "pandas"
    ) -> Any:
        """All measures of a cohort such as `sth`, `1y_2y` or `p2tr` by day, oldest first."""
        path = f"/v1/cohort/metrics/{quote(name, safe='')}"
        first, until = day(start, FIRST_DAY), day(end)
        return self._rows(path, library, start_date=first, end_date=until, fields="all")

    def search(self, query: str, limit: int = 10) -> list[Metric]:
        """Metrics that fit a question or a name, best first."""
        answer = self._get("/v1/metrics", q=query, limit=limit).json()
        return cast("list[Metric]", answer["data"][:limit])

    def metric(self, id: str) -> Metric:
        """The definition of a metric: its unit, description, formula and source."""
        return cast("Metric", self._get(f"/v1/metrics/{quote(id, safe='')}", fields="all").json()["data"][0])

    def chart(self, metrics: str | Iterable[str], **options: Any) -> Chart:
        """A chart, which a notebook shows; `options` as in docs/charts, such as `range="4y"`."""
        body = {"metrics": names(metrics), **options}
        return Chart(
            lambda format: self._send("POST", "/v1/chart/snapshot", json={**body, "format": format}).content
        )

    def sql(self, query: str, *, library: Library = "pandas") -> Any:
        """Answers SQL on this machine with DuckDB; tables that the query names are fetched once."""
        check(library)
        duckdb = load("duckdb", "sql")
        with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
            listed = self._get("/v1/tables").json()
            paths = {one["name"]: one["path"] for one in listed["data"]}
            for name in mentioned(query, paths):
                file = Path(folder) / f"{name}.parquet"
                file.write_bytes(self._get(paths[name], generation=listed["meta"]["generation"]).content)
                connection.execute(f'CREATE VIEW "{name}" AS FROM {parquet(file)}')
            result = connection.sql(query)
            return result.pl() if library == "polars" else result.df()

    def _rows(self, path: str, library: Library, index: str = "date", **parameters: Any) -> Any:
        check(library)
        # The service refuses what it would have to cut.
        response = self._get(path, format="parquet", order="asc", strict="true", **parameters)
        meta = json.loads(response.headers.get("X-Coinstrata-Meta", "{}"))
        if library == "polars":
            return load("polars", "polars").read_parquet(io.BytesIO(response.content))
        table = load("pyarrow.parquet", "pandas").read_table(io.BytesIO(response.content))
        attrs = {"generation": meta.get("generation"), "simulated": meta.get("simulated", False)}
        is_fine = index == "date" and "time" in table.column_names
        return pandas_frame(table, attrs, "time" if is_fine else index)

    def _get(self, path: str, **parameters: Any) -> httpx.Response:
        return self._send("GET", path, params={k: v for k, v in parameters.items() if v is not None})

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        for attempt in range(_RETRIES + 1):
            is_last = attempt == _RETRIES
            try:
                response = self._client.request(method, path, **options)
            except httpx.TransportError as error:
                if is_last or method != "GET":
                    message = f"{self.url} does not answer: {error}"
                    raise CoinstrataError("unreachable", message) from error
                wait = 0.25 * 2**attempt
            else:
                if response.is_success:
                    return response
                wait = _seconds(response.headers.get("Retry-After"), 0.25 * 2**attempt)
                if is_last or response.status_code not in _TEMPORARY or wait > self._max_wait:
                    raise _refusal(response)
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")


class Alerts:
    """Alerts of the key's account."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def list(self) -> list[dict[str, Any]]:
        """With their state, newest first."""
        return cast("list[dict[str, Any]]", self._service._get("/v1/alerts").json()["data"])

    def create(self, metric: str, condition: Mapping[str, Any], **settings: Any) -> dict[str, Any]:
        """Such as `create("mvrv", {"kind": "above", "value": 3.5}, webhook={…})`; see docs/alerts."""
        body = {"metric": metric, "condition": condition, **settings}
        return cast("dict[str, Any]", self._service._send("POST", "/v1/alerts", json=body).json()["data"][0])

    def delete(self, id: str) -> None:
        self._service._send("DELETE", f"/v1/alerts/{quote(id, safe='')}")


class Chart:
    """Drawn when it is shown or saved."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw

    def _repr_png_(self) -> bytes:
        return cast("bytes", self._draw("png"))

    def save(self, file: str | Path) -> None:
        """As PNG, SVG, CSV or JSON, by the name of the file."""
        format = Path(file).suffix[1:].lower()
        if format not in ("png", "svg", "csv", "json"):
            raise ValueError(f"{file} must end in .png, .svg, .csv or .json")
        Path(file).write_bytes(self._draw("rows" if format == "json" else format))


def _seconds(retry_after: str | None, default: float) -> float:
    """Proxies write a date, the service seconds."""
    if not retry_after:
        return default
    if retry_after.isdigit():
        return float(retry_after)
    try:
        at = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return default
    return max(0.0, (at - datetime.datetime.now(datetime.timezone.utc)).total_seconds())


def _refusal(response: httpx.Response) -> CoinstrataError:
    request_id = response.headers.get("X-Request-Id")
    try:
        error = response.json()["error"]
        code, message, details = error["code"], error["message"], error.get("details") or {}
    except (ValueError, KeyError, TypeError):
        text = f"{response.url} answered with status {response.status_code} and nothing that explains it"
        return CoinstrataError("unknown", text, None, response.status_code, request_id)
    # Only what is refused because of `strict` has a part that could be answered.
    partial = code == "insufficient_tier" and "strict=true" in message
    kind = PartialData if partial else CoinstrataError
    return kind(code, message, details, response.status_code, request_id)
