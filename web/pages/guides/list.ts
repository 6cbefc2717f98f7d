/** The guides in the order in which they are read: their names in addresses, the files they are made of, and what they tell. */
export const guides = [
  {
    name: 'start',
    file: 'README.md',
    title: 'Run Coinstrata',
    tells: 'A first look without a node, the first run with yours, commands, tables, the API, tools and all settings.',
  },
  {
    name: 'tables',
    file: 'docs/tables.md',
    title: 'Tables',
    tells: 'Every published table and column, for DuckDB, Spark, pandas, Polars and whatever else reads Parquet.',
  },
  {
    name: 'api',
    file: 'docs/api.md',
    title: 'The API',
    tells:
      'Points in time, revisions, tables by address, events and webhooks: what spans the endpoints that /docs describes.',
  },
  {
    name: 'operate',
    file: 'docs/operate.md',
    title: 'Operating it',
    tells: 'One process or two, what to watch, alerts, backup, upgrades, proxies.',
  },
  {
    name: 'market-data',
    file: 'docs/market-data.md',
    title: 'Market data',
    tells: 'Where prices, futures, funds and treasuries come from, and how one price is made of several.',
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
    tells: 'What operators of the tool server should know.',
  },
  {
    name: 'agreement',
    file: 'docs/agreement.md',
    title: 'Agreement with others',
    tells: 'How near the metrics are to what Glassnode, Coin Metrics and others publish.',
  },
  {
    name: 'changes',
    file: 'CHANGELOG.md',
    title: 'What changed',
    tells: 'By version, newest first.',
  },
] as const

export type GuideName = (typeof guides)[number]['name']
