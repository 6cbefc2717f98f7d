"""Rules replayed by hand and by another way of counting; needs no service."""

import os
import random

import coinstrata
import pandas
import pytest
from coinstrata import backtest


def series(values, begin="2020-01-01"):
    return pandas.Series(values, pandas.date_range(begin, periods=len(values)))


def test_a_ledger_worked_by_hand():
    price = series([100.0, 110, 121, 100, 90, 99, 110, 120])
    entry = series([True, False, False, False, True, False, True, False])
    end = series([False, False, True, False, False, False, False, False])
    result = backtest(entry, price, end)
    trades = result.trades
    # Bought the day after 1 January; the signal to sell of 3 January is filled on the 4th.
    assert list(trades["bought"]) == [110, 99] and list(trades["sold"]) == [100, 120]
    assert [str(day.date()) for day in trades["entry"]] == ["2020-01-02", "2020-01-06"]
    assert list(trades["days"]) == [2, 2] and list(trades["open"]) == [False, True]
    assert result.change == pytest.approx(100 / 110 * 120 / 99 - 1)
    assert result.hold_change == pytest.approx(0.2)
    assert result.median == pytest.approx(100 / 110 - 1) and result.won == 0
    # Over two days: 121/100, 100/110, 90/121, 99/100, 110/90, 120/99.
    assert result.base == {"days": 2, "cases": 6, "median": pytest.approx((0.99 + 1.21) / 2 - 1), "rose": 0.5}
    assert result.exposure == pytest.approx(4 / 8)
    assert result.drawdown == pytest.approx(100 / 121 - 1)
    costly = backtest(entry, price, end, costs=0.01)
    assert costly.change == pytest.approx(100 / 110 * 120 / 99 * 0.99**4 - 1)


def test_days_without_a_price_are_waited_for():
    price = series([100.0, float("nan"), 50, 60, float("nan"), 70])
    result = backtest(series([True] + [False] * 5), price, hold=2)
    assert result.trades[["bought", "sold", "days"]].values.tolist() == [[50, 70, 3]]
    assert result.change == pytest.approx(0.4)


def replay(entry, price, end, hold, delay, costs):
    """Day by day with money and coins, unlike the package."""
    money, coins, sold_at, orders, count = 1.0, 0.0, None, [], 0
    for day in range(len(price)):
        tradable = price[day] > 0
        for order in [one for one in orders if one[0] <= day]:
            if tradable:
                orders.remove(order)
                if order[1] == "buy":
                    coins, money, sold_at, count = (
                        money * (1 - costs) / price[day],
                        0.0,
                        hold and day + hold,
                        count + 1,
                    )
                else:
                    money, coins = coins * price[day] * (1 - costs), 0.0
        if coins > 0 and sold_at is not None and day >= sold_at and tradable:
            money, coins, sold_at = coins * price[day] * (1 - costs), 0.0, None
        if coins == 0 and not orders and entry[day]:
            orders.append((day + delay, "buy"))
        elif coins > 0 and not orders and end is not None and end[day]:
            orders.append((day + delay, "sell"))
    last = [one for one in price if one > 0][-1]
    return money + coins * last * (1 - costs), count


def test_random_rules_earn_what_a_replay_with_money_and_coins_earns():
    choose = random.Random(6)
    # Each pair of an end and a delay, with and without costs, several times; more for a release.
    for _ in range(300 if os.environ.get("LONG_TRIALS") == "1" else 80):
        days = choose.randrange(5, 120)
        price = [choose.uniform(50, 150) if choose.random() > 0.05 else float("nan") for _ in range(days)]
        if not any(one > 0 for one in price):
            continue
        entry = [choose.random() < 0.2 for _ in range(days)]
        end = [choose.random() < 0.2 for _ in range(days)] if choose.random() < 0.5 else None
        hold = None if end else choose.randrange(1, 20)
        delay, costs = choose.randrange(1, 4), choose.choice([0, 0.003])
        result = backtest(
            series(entry),
            series(price),
            None if end is None else series(end),
            hold=hold,
            delay=delay,
            costs=costs,
        )
        money, count = replay(entry, price, end, hold, delay, costs)
        assert 1 + result.change == pytest.approx(money), (entry, end, hold, delay)
        assert len(result.trades) == count


def test_it_warns_of_few_trades_of_many_trials_and_of_corrected_values():
    price = series([float(value) for value in range(1, 60)])
    for length in (20, 30):
        result = backtest(price > length, price, hold=3)
    assert result.trials >= 2
    assert [text.split(":")[0][:9] for text in result.warnings] == ["only 7 cl", "you have ", "some valu"]
    price.attrs["first_published"] = True
    assert not any("corrected" in text for text in backtest(price > 2, price, hold=3).warnings)
    assert "median trade" in str(result) and "trades" in str(backtest(price > 90, price, hold=1))


def test_what_looks_ahead_or_does_not_fit_is_refused():
    price = series([1.0, 2, 3])
    rule = price > 1
    for problem, given in (
        ("name one end", {}),
        ("name one end", {"exit": rule, "hold": 2}),
        ("from 1 on", {"hold": 2, "delay": 0}),
        ("from 1 on", {"hold": 0}),
        ("fraction", {"hold": 2, "costs": 1.0}),
        ("other dates", {"exit": series([True] * 3, "2021-01-01")}),
        ("instead of True and False", {"exit": price}),
    ):
        with pytest.raises(ValueError, match=problem):
            backtest(rule, price, **given)
    with pytest.raises(ValueError, match="ascend"):
        backtest(rule[::-1], price[::-1], hold=1)
    with pytest.raises(ValueError, match="no price"):
        backtest(rule, price * float("nan"), hold=1)
    none = backtest(price > 9, price, hold=1)
    assert (len(none.trades), none.change, none.median, none.base) == (0, 0, None, {})
    assert coinstrata.Backtest is type(none)
