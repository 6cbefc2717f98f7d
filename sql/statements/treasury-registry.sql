-- treasury_registry: the entities that are tracked, with the first day on which something is known of their holdings.
SELECT id, name, ticker, type, country, (SELECT min(date) FROM treasuries WHERE entity_id = id) AS first_date
FROM treasury_registry
ORDER BY id
