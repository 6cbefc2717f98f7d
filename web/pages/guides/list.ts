/** The guides in the order in which they are read: their names in addresses, the files they are made of, and what they tell. */
export const guides = [
  {
    name: 'start',
    file: 'README.md',
    title: 'Run Coinstrata',
    tells: 'A first look without a node, the first run with yours, and where everything else is explained.',
  },
  {
    name: 'commands',
    file: 'docs/commands.md',
    title: 'Commands',
    tells: 'What each command does, where blocks and prices come from, and what happens every night.',
  },
  {
    name: 'settings',
    file: 'docs/settings.md',
    title: 'Settings',
    tells: 'Every setting with its default.',
  },
  {
    name: 'analyse',
    file: 'docs/analyse.md',
    title: 'Analyse the tables',
    tells: 'DuckDB, pandas, Polars and Spark, each with an example and its answer.',
  },
  {
    name: 'tables',
    file: 'docs/tables.md',
    title: 'Tables',
    tells:
      'Every published table and column, for DuckDB, Spark, pandas, Polars and everything else that reads Parquet.',
  },
  {
    name: 'api',
    file: 'docs/api.md',
    title: 'The API',
    tells:
      'Quick starts, points in time, revisions, whole tables, events, webhooks, keys and limits. /docs describes each endpoint.',
  },
  {
    name: 'operate',
    file: 'docs/operate.md',
    title: 'Operate it',
    tells: 'One process or two, monitoring, alerts, backup, upgrades and proxies.',
  },
  {
    name: 'node',
    file: 'docs/node.md',
    title: 'On your own machine',
    tells: 'Containers, a node beside it, app stores, systemd, and your home network.',
  },
  {
    name: 'scale',
    file: 'docs/scale.md',
    title: 'More than one machine',
    tells: 'One machine computes, and any number of others serve what it publishes.',
  },
  {
    name: 'market-data',
    file: 'docs/market-data.md',
    title: 'Market data',
    tells: 'Where prices, futures, funds and treasuries come from, and how several prices become one.',
  },
  {
    name: 'accounts',
    file: 'docs/accounts.md',
    title: 'Accounts',
    tells: 'Who may see what: invitations, second factors, keys and limits.',
  },
  {
    name: 'assistants',
    file: 'docs/assistants.md',
    title: 'Tools for assistants',
    tells: 'How to connect each client, and what operators of the tool server should know.',
  },
  {
    name: 'verification',
    file: 'docs/verification.md',
    title: 'What is verified',
    tells: 'The checks that everything passes before it is published, and what no check can tell.',
  },
  {
    name: 'agreement',
    file: 'docs/agreement.md',
    title: 'Agreement with others',
    tells: 'How close the metrics are to what Glassnode, Coin Metrics and others publish.',
  },
  {
    name: 'pricing',
    file: 'docs/pricing.md',
    title: 'Pricing',
    tells: 'Which price values coins and spends: that of the hour or that of the day.',
  },
  {
    name: 'glossary',
    file: 'docs/glossary.md',
    title: 'Glossary',
    tells: 'Terms of on-chain analysis from A to Z, as Coinstrata uses them.',
  },
  {
    name: 'cohorts',
    file: 'docs/metrics/cohorts.md',
    title: 'Cohorts',
    tells: 'Every set of coins, and how the ids of its metrics are formed.',
  },
  {
    name: 'formulas',
    file: 'docs/metrics/formulas.md',
    title: 'Formulas',
    tells: 'The language of metrics, charts and the API.',
  },
  {
    name: 'benchmarks',
    file: 'docs/benchmarks.md',
    title: 'Benchmarks',
    tells: 'Every claim of speed or size, with the benchmark that measures it.',
  },
  {
    name: 'security',
    file: 'SECURITY.md',
    title: 'Security',
    tells: 'How to report a problem, what is protected, and what is left to you.',
  },
  {
    name: 'changes',
    file: 'CHANGELOG.md',
    title: 'What changed',
    tells: 'By version, newest first.',
  },
] as const

export type GuideName = (typeof guides)[number]['name']
