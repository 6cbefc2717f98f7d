/** Besides data endpoints and account actions, with `{name}` for parameters. */
export const paths = {
  docs: '/docs',
  guide: '/docs/{guide}.md',
  guides: '/llms.txt',
  health: '/health',
  live: '/health/live',
  ready: '/health/ready',
  widget: '/health/widget',
  status: '/v1/status',
  welcome: '/welcome/{token}',
  stopMail: '/stop-mail/{token}',
  changelog: '/v1/changelog',
  wallets: '/v1/wallets',
  events: '/v1/events',
  table: '/v1/tables/{file}',
  chart: '/v1/chart/snapshot',
  picture: '/p/{file}',
  embed: '/embed/{chart}',
  render: '/v1/chart/renders/{file}',
} as const

/** Without its extension; expires after an hour. */
export const renderPath = (id: string): string => paths.render.replace('{file}', id)
