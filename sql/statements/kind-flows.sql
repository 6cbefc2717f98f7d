-- kind_flows: the spent outputs of each day by day of creation and kind, of which segments have parts.
SELECT
  date,
  created_date,
  kind,
  sum(spent_sats)::BIGINT AS spent_sats,
  sum(spent_outputs)::INTEGER AS spent_outputs
FROM segment_kind_flows
WHERE date > getvariable('after_day') AND date <= getvariable('last_day')
GROUP BY date, created_date, kind
ORDER BY date, created_date, kind
