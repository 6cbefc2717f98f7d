-- created_kinds: the outputs that the blocks of each day created, by kind.
SELECT date, kind, sum(created_sats)::BIGINT AS created_sats, sum(created_outputs)::INTEGER AS created_outputs
FROM segment_created_kinds
WHERE date > getvariable('after_day') AND date <= getvariable('last_day')
GROUP BY date, kind
ORDER BY date, kind
