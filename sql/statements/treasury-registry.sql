-- treasury_registry: the entities that are tracked, with the first day on which something is known of their holdings.
-- What the entity `consolidated_in` reports contains the coins of this one, which totals leave out.
SELECT id, name, ticker, type, country, consolidated_in,
  (SELECT min(date) FROM treasuries WHERE treasuries.id = entities.id) AS first_date
FROM entities
ORDER BY id
