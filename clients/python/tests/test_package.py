"""Run against a service and the folder that it serves; see python-package.extended.test.ts."""

import datetime
import json
import os
import random
import shutil
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import coinstrata
import pandas
import pytest

URL, KEY, FOLDER = (os.environ[name] for name in ("TRIAL_URL", "TRIAL_KEY", "TRIAL_FOLDER"))
service = coinstrata.connect(URL, KEY)
folder = coinstrata.connect(folder=FOLDER)
metrics = folder.sql("FROM catalogue WHERE active AND table_name <> 'cost_basis'").to_dict("records")
first, last = (day.date() for day in folder.sql("SELECT min(date) a, max(date) b FROM days").iloc[0])
PERIODS = {"1w": "W-SUN", "1m": "M", "1y": "Y"}


def known_value(part, how):
    known = part.dropna()
    if known.empty:
        return float("nan")
    return known.iloc[-1] if how == "last" else known.iloc[0] if how == "first" else getattr(known, how)()


def by_sql(metric, start, end, interval):
    """By calendar periods of pandas, the first of them whole: not the way of the package."""
    where = "" if pandas.isna(metric["cohort"]) else f"AND cohort = '{metric['cohort']}'"
    rows = folder.sql(
        f"""SELECT date, "{metric["column_name"]}"::DOUBLE AS v FROM "{metric["table_name"]}"
        WHERE date <= '{end}' {where} ORDER BY date"""
    )
    values = rows.set_index("date")["v"]
    if interval == "1d":
        return values[pandas.Timestamp(start) :]
    whole = values[pandas.Period(start, PERIODS[interval]).start_time :]
    groups = dict(list(whole.groupby(whole.index.to_period(PERIODS[interval]))))
    days = pandas.DatetimeIndex([part.index.max() for part in groups.values()])
    return pandas.Series([known_value(part, metric["aggregate"]) for part in groups.values()], days)


def same(frame, id, expected):
    values = frame[id].reindex(expected.index)
    both = pandas.concat([values, expected], axis=1, keys=["a", "b"])
    known = both.dropna(how="all")
    assert known.notna().all().all(), f"{id}: {known[known.isna().any(axis=1)].head()}"
    assert (abs(known["a"] - known["b"]) <= 1e-9 * abs(known["b"]) + 1e-12).all(), id


def test_frames_equal_sql_for_random_metrics_intervals_and_ranges():
    """For a release, of 200: 70 have all intervals and aggregates, from a service and its folder."""
    choose = random.Random(65)
    compared = 0
    seen = set()
    while compared < (200 if os.environ.get("LONG_TRIALS") == "1" else 70):
        metric, interval = choose.choice(metrics), choose.choice(["1d", "1d", "1w", "1m", "1y"])
        start = first + datetime.timedelta(days=choose.randrange((last - first).days))
        end = start + datetime.timedelta(days=choose.randrange((last - start).days + 1))
        asked = {"start": start, "end": end, "interval": interval}
        if interval != "1d" and metric["aggregate"] in ("formula", "counts"):
            with pytest.raises(coinstrata.CoinstrataError, match="only a service computes"):
                folder.frame(metric["id"], **asked)
            continue
        expected = by_sql(metric, start, end, interval)
        same(folder.frame(metric["id"], **asked), metric["id"], expected)
        if compared % 4 == 0:
            same(service.frame(metric["id"], **asked), metric["id"], expected)
        seen.add((interval, metric["aggregate"]))
        compared += 1
    assert {interval for interval, _ in seen} == {"1d", *PERIODS}
    assert {aggregate for _, aggregate in seen} >= {"last", "sum", "mean"}


def test_a_frame_has_dates_units_and_its_generation_oldest_first():
    for source in (service, folder):
        frame = source.frame(["price", "mvrv"], start=last - datetime.timedelta(days=9))
        assert len(frame) == 10 and frame.index.is_monotonic_increasing and frame.index.name == "date"
        assert frame.attrs["units"] == {"price": "USD", "mvrv": "ratio"}
        assert frame.attrs["simulated"] is True
        polars = source.frame("price mvrv", start=last - datetime.timedelta(days=9), library="polars")
        assert polars.columns == ["date", "price", "mvrv"] and polars["mvrv"].to_list() == list(frame["mvrv"])
    one, other = (source.frame("price", start="2009-01-03") for source in (service, folder))
    pandas.testing.assert_frame_equal(one, other, check_index_type=False)
    assert one.attrs["generation"] == other.attrs["generation"]


def test_rows_of_blocks_cohorts_and_sql_are_the_same_from_a_service_and_its_folder():
    query = "SELECT count(*) AS n, max(height) AS h FROM blocks JOIN days USING (date)"
    assert service.sql(query).equals(folder.sql(query))
    for read in (lambda s: s.blocks(start=last), lambda s: s.cohort("sth", start=last)):
        one, other = read(service), read(folder)
        shared = [name for name in one.columns if name in other.columns and other[name].dtype.kind in "if"]
        assert len(one) == len(other) and len(shared) > 4 and one.index.name == other.index.name
        assert (one[shared].fillna(0) == other[shared].fillna(0)).all().all()


def test_names_of_folders_are_no_columns_and_are_read_in_any_spelling(tmp_path):
    place = tmp_path / "date=2020-01-01" / "it's" / "metric=1"
    shutil.copytree(os.path.join(FOLDER, "published"), place / "published", symlinks=True)
    pandas.testing.assert_frame_equal(
        coinstrata.connect(folder=place).frame("price sth_mvrv"), folder.frame("price sth_mvrv")
    )
    assert (
        coinstrata.connect(folder=place)
        .sql("SELECT min(date) FROM PRICES")
        .equals(folder.sql("SELECT min(date) FROM prices"))
    )
    pattern = place.rename(tmp_path / "[a]")
    with pytest.raises(ValueError, match="has one of the signs"):
        coinstrata.connect(folder=pattern).frame("price")


def test_an_optional_parameter_may_be_none_and_days_are_checked():
    for source in (service, folder):
        whole = source.frame("price")
        assert len(whole) > 100
        for other in (
            source.frame("price", start=None, end=None, as_of=None, aggregate=None),
            source.frame("price", end="", as_of=""),
            source.frame("price", as_of=datetime.date(2100, 1, 1)),
        ):
            pandas.testing.assert_frame_equal(other, whole)
        assert len(source.blocks(start=None)) == len(source.blocks())
        with pytest.raises((ValueError, coinstrata.CoinstrataError)):
            source.frame("price", start="soon")
        with pytest.raises((ValueError, coinstrata.CoinstrataError)):
            source.frame("price", start=last, end=first)
        with pytest.raises(ValueError, match="'pandas' or 'polars'"):
            source.frame("price", library="arrow")


def test_first_published_values_are_read_from_their_months(tmp_path):
    with pytest.raises(coinstrata.CoinstrataError, match="no first_published"):
        coinstrata.connect(folder=FOLDER).first_published("mvrv")
    place = tmp_path / "date=2020-01-01"
    shutil.copytree(os.path.join(FOLDER, "published"), place / "published", symlinks=True)
    (place / "first_published").mkdir()
    for month, value in (("2009-02", 1.5), ("2009-03", 2.5)):
        file = place / "first_published" / f"{month}.parquet"
        folder.sql(
            f"SELECT DATE '{month}-07' AS date, 'mvrv' AS metric, {value} AS value, DATE '{month}-08' AS published_at"
        ).to_parquet(file)
    frame = coinstrata.connect(folder=place).first_published("mvrv price", end="2009-03-31")
    assert frame["mvrv"].tolist() == [1.5, 2.5] and frame["price"].isna().all()
    assert [str(day.date()) for day in frame.index] == ["2009-02-07", "2009-03-07"]
    assert frame["mvrv"].attrs["first_published"] is True


def test_nothing_is_cut_in_silence():
    visitor = coinstrata.connect(URL, "")
    with pytest.raises(coinstrata.PartialData) as refused:
        visitor.frame("price")
    assert refused.value.status == 403 and "first_date" in refused.value.details
    with pytest.raises(coinstrata.PartialData):
        visitor.frame("price sopr", start=last)
    assert len(visitor.frame("price", start=last)) == 1


def test_refusals_say_what_and_where():
    for source in (service, folder):
        with pytest.raises(coinstrata.CoinstrataError, match="no metric 'mvrvv'"):
            source.frame("mvrvv")
        with pytest.raises(ValueError, match="name a metric"):
            source.frame(" ")
        with pytest.raises(coinstrata.CoinstrataError, match="as_of|2001|kept|published"):
            source.frame("price", as_of="2001-01-01")
    with pytest.raises(coinstrata.CoinstrataError) as unreachable:
        coinstrata.connect("http://127.0.0.1:1").metric("price")
    assert unreachable.value.code == "unreachable"
    with pytest.raises(coinstrata.CoinstrataError, match="no published tables"):
        coinstrata.connect(folder=os.path.dirname(__file__))
    with pytest.raises(ValueError, match="not both"):
        coinstrata.connect(URL, folder=FOLDER)
    assert KEY not in repr(service)


def test_metrics_are_found_defined_and_drawn(tmp_path):
    assert "hodl" in json.dumps(service.search("hodl waves", limit=3)).lower()
    assert folder.search("short-term mvrv")[0]["id"] == "sth_mvrv"
    for source in (service, folder):
        assert source.metric("mvrv")["unit"] == "ratio"
    chart = service.chart("price mvrv", range="1y")
    assert chart._repr_png_().startswith(b"\x89PNG")
    chart.save(tmp_path / "chart.svg")
    assert b"<svg" in (tmp_path / "chart.svg").read_bytes()[:200]
    with pytest.raises(ValueError, match="must end in"):
        chart.save(tmp_path / "chart.gif")


def test_alerts_of_an_account():
    made = service.alerts.create(
        "mvrv", {"kind": "above", "value": 3.5}, webhook={"url": "https://example.org/x", "format": "ntfy"}
    )
    assert [one["id"] for one in service.alerts.list()] == [made["id"]]
    service.alerts.delete(made["id"])
    assert service.alerts.list() == []


def test_a_busy_service_is_asked_again():
    asked = []

    class Busy(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200 if len(asked) == 3 else 503)
            body = b'{"data": [{"id": "price"}]}'
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Busy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        assert coinstrata.connect(f"http://127.0.0.1:{server.server_port}").metric("price") == {"id": "price"}
        assert len(asked) == 3
    finally:
        server.shutdown()
        server.server_close()
