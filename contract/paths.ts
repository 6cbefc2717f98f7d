/** Paths that are served beside the data endpoints and the actions on accounts, with `{name}` for each parameter. */
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
  changelog: '/v1/changelog',
  events: '/v1/events',
  table: '/v1/tables/{file}',
  chart: '/v1/chart/snapshot',
  picture: '/p/{file}',
  embed: '/embed/{chart}',
  render: '/v1/chart/renders/{file}',
} as const

/** Where a chart that was drawn stays for an hour, without the ending of its format. */
export const renderPath = (id: string): string => paths.render.replace('{file}', id)
