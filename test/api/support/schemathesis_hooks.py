"""What JSON Schema cannot say of a request: relations between parameters, and names that only the data know.

Cases that are to be valid are mended; those that are to be refused stay as they are.
"""
import json

import schemathesis

FORMULA = "price / sma(price, 200)"
# Parts of charts that depend on one another; test/api/bad-charts.test.ts has what is refused of them.
RELATED = ("reference_lines", "reference_areas", "formulas", "y_axes", "stacked", "indexed", "normalize", "as_of", "crossings")
SHOWN = ("metric", "metrics", "template", "heatmap", "histogram", "calendar")


def ascend(values, first, last):
    if first in values and last in values and not values[first] <= values[last]:
        values[first], values[last] = values[last], values[first]


def show_one(values):
    """A chart shows exactly one of these."""
    given = [name for name in SHOWN if name in values]
    for name in given[1:]:
        del values[name]
    if not given:
        values["metric"] = "price"
    # Candles are of the price alone.
    if values.get("style") == "candle":
        del values["style"]


def show_all_characters(values):
    """PNGs are refused where their font lacks a character."""
    if not json.dumps(values, ensure_ascii=False).isascii():
        values["format"] = "svg"


def mend_query(path, query):
    ascend(query, "start_date", "end_date")
    ascend(query, "cohort_start", "cohort_end")
    if "generation" in query:
        query.pop("as_of", None)
    # It refuses valid requests on purpose, by what the answer lacks.
    query.pop("strict", None)
    if "fields" in query:
        query["fields"] = "all"
    if path == "/v1/cost-basis" and "date" in query:
        query.pop("start_date", None)
        query.pop("end_date", None)
    if path == "/v1/cycle-performance" and "type" in query:
        query.pop("cursor", None)
    if path == "/v1/revisions" and "metric" in query:
        # It takes ids from answers, also that of the distribution.
        query["metric"] = "price"
    if path == "/v1/series":
        if "formula" in query:
            query["formula"] = FORMULA
        else:
            query["metrics"] = "price,realized_price"
    if path == "/v1/chart/snapshot":
        show_one(query)
        # One for each metric, which are taken out or put in above.
        query.pop("axes", None)
        # The product of width, height and pixel_ratio is limited.
        query.pop("pixel_ratio", None)
        show_all_characters(query)


def mend(case):
    if case.operation.method.upper() == "GET":
        query = dict(case.query or {})
        mend_query(case.operation.path, query)
        case.query = query
    elif case.operation.path == "/v1/chart/snapshot" and isinstance(case.body, dict):
        ascend(case.body, "start_date", "end_date")
        show_one(case.body)
        # Ids of metrics, which it takes from answers, are of series.
        for name in ("heatmap", "histogram"):
            if isinstance(case.body.get(name), dict):
                case.body[name]["metric"] = "cost_basis_distribution"
                case.body[name].pop("max", None)
                case.body[name].pop("y_max", None)


def drop_related(body):
    for name in RELATED:
        body.pop(name, None)
    # Axes are described in what was dropped.
    metrics = body.get("metrics")
    if isinstance(metrics, list) and len(metrics) > 1:
        # It lays the cycles of one metric over each other.
        body.pop("x_axis", None)
    for metric in metrics if isinstance(metrics, list) else []:
        if isinstance(metric, dict):
            metric.pop("y_axis_id", None)
            if metric.get("style") == "candle":
                del metric["style"]
    if any(name in body for name in SHOWN):
        show_all_characters(body)


def mend_body(path, body):
    if not path.startswith("/v1/alerts"):
        drop_related(body)
        return
    # An alert watches either a metric or a formula, whose names only the data know.
    body.pop("formula", None)
    body["metric"] = "mvrv"
    condition = body.get("condition")
    if isinstance(condition, dict) and condition.get("kind") == "outside":
        condition.update(low=1, high=2)
    webhook = body.get("webhook")
    if isinstance(webhook, dict):
        webhook["url"] += {"telegram": "?chat_id=1", "ntfy": "/topic"}.get(webhook.get("format"), "")


@schemathesis.hook
def map_case(context, case):
    if case.meta is not None and case.meta.generation.mode.is_positive:
        mend(case)
        if isinstance(case.body, dict):
            mend_body(case.operation.path, case.body)
        # Two ways to send one key: two different ones are refused.
        if case.headers is not None and "Authorization" in case.headers:
            case.headers.pop("X-API-Key", None)
    return case


@schemathesis.hook
def before_add_examples(context, examples):
    for case in examples:
        mend(case)
        # Examples that it puts together itself have all parts at once, the first ones of their kinds.
        if isinstance(case.body, dict) and (case.body.get("metric") == "0" or "condition" in case.body):
            mend_body(case.operation.path, case.body)
