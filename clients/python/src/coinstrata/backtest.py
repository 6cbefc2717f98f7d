"""Backtests: trades of a rule beside the changes from every day."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any

from .frames import load

#: Fewer closed trades say next to nothing.
MIN_TRADES = 10
_tried: set[int] = set()


@dataclass(frozen=True)
class Backtest:
    """Result of `backtest`. Changes are fractions, costs included; `change` counts an open trade too."""

    #: One row for each purchase: entry, exit, days, bought, sold, change, open.
    trades: Any
    #: Of all trades one after the other, and of holding from the first known day to the last.
    change: float
    hold_change: float
    #: Of closed trades; None without one.
    median: float | None
    won: float | None
    #: Of all days over the median number of days of the closed trades: cases, median and share that rose.
    base: dict[str, float] = field(default_factory=dict)
    #: Share of days in a trade, and the largest fall from a high of the account.
    exposure: float = 0.0
    drawdown: float = 0.0
    #: Different backtests since the program started.
    trials: int = 1
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        closed = int((~self.trades["open"]).sum())
        lines = [
            f"{len(self.trades)} trades, {closed} closed: {self.change:+.1%}; holding {self.hold_change:+.1%}",
            f"in the market on {self.exposure:.0%} of days, largest fall {self.drawdown:.1%}",
        ]
        if self.median is not None and self.base:
            lines.append(
                f"median trade {self.median:+.1%}, {self.won:.0%} won; over {self.base['days']:.0f} days"
                f" all days: median {self.base['median']:+.1%}, {self.base['rose']:.0%} rose"
            )
        return "\n".join([*lines, *self.warnings])


def backtest(
    entry: Any,
    price: Any,
    exit: Any = None,
    *,
    hold: int | None = None,
    delay: int = 1,
    costs: float = 0.0,
) -> Backtest:
    """Buys when `entry` is true and sells when `exit` is, or after `hold` days: one trade at a time.

    `entry`, `exit` (True or False) and `price` are Series of pandas with the same dates. A value of
    a day is known after that day: the trade is made at the price `delay` days later. Days without a
    price are waited for. `costs` is the fraction that each purchase and each sale costs. A trade
    without an end is valued at the last price and marked as open.

    >>> frame = coinstrata.connect(folder="data").frame("mvrv price")
    >>> print(coinstrata.backtest(frame["mvrv"] < 1, frame["price"], exit=frame["mvrv"] > 3, costs=0.002))
    """
    pandas = load("pandas", "pandas")
    if (exit is None) == (hold is None):
        raise ValueError("name one end of a trade: exit or hold")
    if delay < 1 or (hold is not None and hold < 1):
        raise ValueError(
            "delay and hold are whole numbers of days from 1 on: a day's values are known after it"
        )
    if not 0 <= costs < 1:
        raise ValueError(f"costs are a fraction from 0 to 1, not {costs}")
    for name, one in (("entry", entry), ("exit", exit if exit is not None else entry)):
        if one.dtype != bool:
            raise ValueError(
                f"{name} has {one.dtype} instead of True and False: compare, such as frame['mvrv'] < 1"
            )
        if not one.index.equals(price.index):
            raise ValueError(f"{name} and price have other dates")
    dates = pandas.DatetimeIndex(price.index)
    if not dates.is_monotonic_increasing or not dates.is_unique:
        raise ValueError("dates must ascend, each once")
    paid = price.to_numpy(dtype=float)
    known = paid > 0
    if not known.any():
        raise ValueError("no price is known")
    begins, ends = entry.to_numpy(), None if exit is None else exit.to_numpy()

    def traded(row: int, days: int) -> int | None:
        """Row of the first known price this many days after a row, or later."""
        later = dates.searchsorted(dates[row] + datetime.timedelta(days=days))
        return next((i for i in range(later, len(paid)) if known[i]), None)

    rows: list[dict[str, Any]] = []
    free = 0
    for row in range(len(paid)):
        bought = traded(row, delay) if row >= free and begins[row] else None
        if bought is None:
            continue
        if ends is None:
            sold = traded(bought, hold or 1)
        else:
            signal = next((i for i in range(bought, len(paid)) if ends[i]), None)
            sold = None if signal is None else traded(signal, delay)
        last = int(known.nonzero()[0][-1]) if sold is None else sold
        rows.append({"bought": bought, "sold": last, "open": sold is None})
        free = last if sold is not None else len(paid)

    account, in_trade = _value(paid, known, rows, costs)
    trades = pandas.DataFrame(
        {
            "entry": [dates[one["bought"]] for one in rows],
            "exit": [dates[one["sold"]] for one in rows],
            "days": [(dates[one["sold"]] - dates[one["bought"]]).days for one in rows],
            "bought": [paid[one["bought"]] for one in rows],
            "sold": [paid[one["sold"]] for one in rows],
            "change": [_change(paid, one, costs) for one in rows],
            "open": [bool(one["open"]) for one in rows],
        }
    ).astype({"open": bool})
    closed = trades[~trades["open"]]
    value = pandas.Series(account)
    _tried.add(hash((begins.tobytes(), None if ends is None else ends.tobytes(), hold, delay, costs)))
    return Backtest(
        trades=trades,
        change=account[-1] - 1,
        hold_change=float(paid[known][-1] / paid[known][0] * (1 - costs) ** 2 - 1),
        median=float(closed["change"].median()) if len(closed) else None,
        won=float((closed["change"] > 0).mean()) if len(closed) else None,
        base=_base(price.set_axis(dates)[known], int(closed["days"].median()), costs) if len(closed) else {},
        exposure=in_trade / len(paid),
        drawdown=float((value / value.cummax().clip(lower=1) - 1).min()),
        trials=len(_tried),
        warnings=_warnings(len(closed), price.attrs, len(_tried)),
    )


def _change(paid: Any, trade: dict[str, Any], costs: float) -> float:
    return float(paid[trade["sold"]] / paid[trade["bought"]] * (1 - costs) ** 2 - 1)


def _value(paid: Any, known: Any, trades: list[dict[str, Any]], costs: float) -> tuple[list[float], int]:
    """The account on each day, in what it began with, and the number of days in a trade."""
    account: list[float] = []
    cash, days = 1.0, 0
    values = iter(trades)
    trade = next(values, None)
    for row in range(len(paid)):
        value = cash
        if trade is not None and row >= trade["bought"]:
            if row > trade["bought"]:
                days += 1
            if row >= trade["sold"]:
                value = cash = cash * (1 + _change(paid, trade, costs))
                trade = next(values, None)
            elif known[row]:
                value = cash * paid[row] / paid[trade["bought"]] * (1 - costs)
            else:
                value = account[-1]
        account.append(value)
    return account, days


def _base(price: Any, days: int, costs: float) -> dict[str, float]:
    """Changes from every day over the same number of days, costs included."""
    later = price.reindex(price.index + datetime.timedelta(days=days)).set_axis(price.index)
    changes = (later / price * (1 - costs) ** 2 - 1).dropna()
    if changes.empty:
        return {}
    rose = float((changes > 0).mean())
    return {"days": days, "cases": len(changes), "median": float(changes.median()), "rose": rose}


def _warnings(closed: int, attrs: dict[str, Any], trials: int) -> tuple[str, ...]:
    few = f"only {closed} closed trades: too few to tell a rule from chance"
    many = f"you have tried {trials} rules: of 20 that mean nothing, one looks good by chance"
    corrected = "some values were corrected after their day: first_published has those of the time"
    applies = {few: closed < MIN_TRADES, many: trials > 1, corrected: not attrs.get("first_published")}
    return tuple(text for text, is_true in applies.items() if is_true)
