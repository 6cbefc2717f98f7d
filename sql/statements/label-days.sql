-- label_days, and the lowest balance of an address that the day changed: what the labelled addresses hold after each day, from their outputs, all of which are in `label_events`. Sums are
-- of integers, so that they do not depend on the order of rows: costs count in millionths of a dollar. A label that never received has zeros on the last day.
WITH events AS (
  SELECT label, high, low, date, created_date, received_sats - spent_sats AS sats, received_sats, spent_sats
  FROM label_events JOIN labels USING (high, low)
  WHERE date <= getvariable('last_day')
),
changes AS (
  SELECT
    label,
    date,
    sum(received_sats) AS received_sats,
    sum(spent_sats) AS spent_sats,
    sum(sats::HUGEINT * round(cost * 1e6)::BIGINT) AS cost,
    sum(sats::HUGEINT * (created_date - DATE '1970-01-01')) AS created,
    sum(spent_sats::HUGEINT * (date - created_date)) AS destroyed
  FROM events JOIN costs USING (created_date)
  GROUP BY label, date
),
balances AS (
  SELECT label, date, change, sum(change) OVER (PARTITION BY high, low ORDER BY date) AS balance
  FROM (SELECT label, high, low, date, sum(sats) AS change FROM events GROUP BY ALL)
),
funded AS (
  SELECT label, date, sum((balance > 0)::INTEGER - (balance > change)::INTEGER) AS change, min(balance) AS min_balance
  FROM balances
  GROUP BY label, date
),
all_days AS (
  SELECT label, unnest(generate_series(coalesce(min(date), getvariable('last_day')), getvariable('last_day'), INTERVAL 1 DAY))::DATE AS date
  FROM labels LEFT JOIN changes USING (label)
  GROUP BY label
),
running AS (
  SELECT
    label,
    date,
    coalesce(sum(funded.change) OVER up_to_day, 0) AS addresses,
    coalesce(sum(received_sats - spent_sats) OVER up_to_day, 0) AS balance_sats,
    coalesce(received_sats, 0) AS received_sats,
    coalesce(spent_sats, 0) AS spent_sats,
    coalesce(sum(cost) OVER up_to_day, 0) AS cost,
    coalesce(sum(created) OVER up_to_day, 0) AS created,
    coalesce(destroyed, 0) AS destroyed,
    min_balance
  FROM all_days LEFT JOIN changes USING (label, date) LEFT JOIN funded USING (label, date)
  WINDOW up_to_day AS (PARTITION BY label ORDER BY date)
)
SELECT
  date,
  label,
  addresses::BIGINT AS addresses,
  balance_sats::BIGINT AS balance_sats,
  received_sats::BIGINT AS received_sats,
  spent_sats::BIGINT AS spent_sats,
  CASE WHEN getvariable('has_prices') = 1 THEN coins(cost) / 1e6 END AS realized_cap,
  coins((date - DATE '1970-01-01') * balance_sats - created) AS coin_days,
  coins(destroyed) AS coin_days_destroyed,
  min_balance
FROM running
