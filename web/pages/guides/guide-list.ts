const guide = <const Name extends string>(name: Name, title: string, summary: string, file = `docs/${name}.md`) => ({
  name,
  file,
  title,
  summary,
})

/** In reading order. `name` is in the address, `file` the source. */
export const guides = [
  guide(
    'start',
    'Run Coinstrata',
    'A first look without a node, the first run with yours, and where everything else is explained.',
    'README.md',
  ),
  guide('pages', 'How to use the pages', 'What you can do here and where to click, from correlation to export.'),
  guide(
    'commands',
    'Commands',
    'What each command does, where blocks and prices come from, and what happens every night.',
  ),
  guide('settings', 'Settings', 'Every setting with its default.'),
  guide('analyse', 'Analyse the tables', 'DuckDB, pandas, Polars and Spark, each with an example and its answer.'),
  guide('sql', 'SQL in the browser', 'Ask the tables in SQL on the page SQL, with twenty examples.'),
  guide(
    'tables',
    'Tables',
    'Every published table and column, for DuckDB, Spark, pandas, Polars and everything else that reads Parquet.',
  ),
  guide(
    'addresses',
    'Addresses',
    'How addresses are counted, exactly or from a sample, and how far off an estimate can be.',
  ),
  guide(
    'wallets',
    'Your coins',
    'What your own coins cost, how old they are, and where that puts you among all holders.',
  ),
  guide(
    'api',
    'The API',
    'Quick starts, points in time, revisions, whole tables, events, webhooks, keys and limits. /docs describes each endpoint.',
  ),
  guide(
    'alerts',
    'Alerts',
    'Messages by mail, Slack, Discord, Telegram or ntfy when a metric or formula meets a condition.',
  ),
  guide('operate', 'Operate it', 'One process or two, monitoring, alerts, backup, upgrades and proxies.'),
  guide('node', 'On your own machine', 'Containers, a node beside it, app stores, systemd, and your home network.'),
  guide('scale', 'More than one machine', 'One machine computes, and any number of others serve what it publishes.'),
  guide(
    'market-data',
    'Market data',
    'Where prices, futures, funds and treasuries come from, and how several prices become one.',
  ),
  guide('accounts', 'Accounts', 'Who may see what: invitations, second factors, keys and limits.'),
  guide(
    'assistants',
    'Tools for assistants',
    'How to connect each client, and what operators of the tool server should know.',
  ),
  guide(
    'verification',
    'What is verified',
    'The checks that everything passes before it is published, and what no check can tell.',
  ),
  guide(
    'agreement',
    'Agreement with others',
    'How close the metrics are to what Glassnode, Coin Metrics and others publish.',
  ),
  guide('pricing', 'Pricing', 'Which price values coins and spends: that of the hour or that of the day.'),
  guide('glossary', 'Glossary', 'Terms of on-chain analysis from A to Z, as Coinstrata uses them.'),
  guide(
    'cohorts',
    'Cohorts',
    'Every set of coins, and how the ids of its metrics are formed.',
    'docs/metrics/cohorts.md',
  ),
  guide('formulas', 'Formulas', 'The language of metrics, charts and the API.', 'docs/metrics/formulas.md'),
  guide('benchmarks', 'Benchmarks', 'Every claim of speed or size, with the benchmark that measures it.'),
  guide('security', 'Security', 'How to report a problem, what is protected, and what is left to you.', 'SECURITY.md'),
  guide('changes', 'What changed', 'By version, newest first.', 'CHANGELOG.md'),
]

export type GuideName = (typeof guides)[number]['name']
