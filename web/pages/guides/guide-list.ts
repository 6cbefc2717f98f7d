/** Guides in reading order: name in the address, source file, title and summary. */
export const guides = [
  {
    name: 'start',
    file: 'README.md',
    title: 'Run Coinstrata',
    summary: 'A first look without a node, the first run with yours, and where everything else is explained.',
  },
  {
    name: 'commands',
    file: 'docs/commands.md',
    title: 'Commands',
    summary: 'What each command does, where blocks and prices come from, and what happens every night.',
  },
  {
    name: 'settings',
    file: 'docs/settings.md',
    title: 'Settings',
    summary: 'Every setting with its default.',
  },
  {
    name: 'analyse',
    file: 'docs/analyse.md',
    title: 'Analyse the tables',
    summary: 'DuckDB, pandas, Polars and Spark, each with an example and its answer.',
  },
  {
    name: 'tables',
    file: 'docs/tables.md',
    title: 'Tables',
    summary:
      'Every published table and column, for DuckDB, Spark, pandas, Polars and everything else that reads Parquet.',
  },
  {
    name: 'addresses',
    file: 'docs/addresses.md',
    title: 'Addresses',
    summary: 'How addresses are counted, exactly or from a sample, and how far off an estimate can be.',
  },
  {
    name: 'api',
    file: 'docs/api.md',
    title: 'The API',
    summary:
      'Quick starts, points in time, revisions, whole tables, events, webhooks, keys and limits. /docs describes each endpoint.',
  },
  {
    name: 'alerts',
    file: 'docs/alerts.md',
    title: 'Alerts',
    summary: 'Messages by mail, Slack, Discord, Telegram or ntfy when a metric or formula meets a condition.',
  },
  {
    name: 'operate',
    file: 'docs/operate.md',
    title: 'Operate it',
    summary: 'One process or two, monitoring, alerts, backup, upgrades and proxies.',
  },
  {
    name: 'node',
    file: 'docs/node.md',
    title: 'On your own machine',
    summary: 'Containers, a node beside it, app stores, systemd, and your home network.',
  },
  {
    name: 'scale',
    file: 'docs/scale.md',
    title: 'More than one machine',
    summary: 'One machine computes, and any number of others serve what it publishes.',
  },
  {
    name: 'market-data',
    file: 'docs/market-data.md',
    title: 'Market data',
    summary: 'Where prices, futures, funds and treasuries come from, and how several prices become one.',
  },
  {
    name: 'accounts',
    file: 'docs/accounts.md',
    title: 'Accounts',
    summary: 'Who may see what: invitations, second factors, keys and limits.',
  },
  {
    name: 'assistants',
    file: 'docs/assistants.md',
    title: 'Tools for assistants',
    summary: 'How to connect each client, and what operators of the tool server should know.',
  },
  {
    name: 'verification',
    file: 'docs/verification.md',
    title: 'What is verified',
    summary: 'The checks that everything passes before it is published, and what no check can tell.',
  },
  {
    name: 'agreement',
    file: 'docs/agreement.md',
    title: 'Agreement with others',
    summary: 'How close the metrics are to what Glassnode, Coin Metrics and others publish.',
  },
  {
    name: 'pricing',
    file: 'docs/pricing.md',
    title: 'Pricing',
    summary: 'Which price values coins and spends: that of the hour or that of the day.',
  },
  {
    name: 'glossary',
    file: 'docs/glossary.md',
    title: 'Glossary',
    summary: 'Terms of on-chain analysis from A to Z, as Coinstrata uses them.',
  },
  {
    name: 'cohorts',
    file: 'docs/metrics/cohorts.md',
    title: 'Cohorts',
    summary: 'Every set of coins, and how the ids of its metrics are formed.',
  },
  {
    name: 'formulas',
    file: 'docs/metrics/formulas.md',
    title: 'Formulas',
    summary: 'The language of metrics, charts and the API.',
  },
  {
    name: 'benchmarks',
    file: 'docs/benchmarks.md',
    title: 'Benchmarks',
    summary: 'Every claim of speed or size, with the benchmark that measures it.',
  },
  {
    name: 'security',
    file: 'SECURITY.md',
    title: 'Security',
    summary: 'How to report a problem, what is protected, and what is left to you.',
  },
  {
    name: 'changes',
    file: 'CHANGELOG.md',
    title: 'What changed',
    summary: 'By version, newest first.',
  },
] as const

export type GuideName = (typeof guides)[number]['name']
