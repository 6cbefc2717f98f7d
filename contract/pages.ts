/** Paths of the web app's pages, relative to its base path; `{name}` matches one segment. */
export const pages = {
  today: '/',
  metrics: '/metrics',
  workbench: '/workbench',
  metric: '/metrics/{id}',
  cohorts: '/cohorts',
  cycles: '/cycles',
  mining: '/mining',
  addresses: '/addresses',
  markets: '/markets',
  chart: '/chart/{chart}',
  board: '/board',
  alerts: '/alerts',
  status: '/status',
  guides: '/guides',
  guide: '/docs/{name}',
  account: '/account',
  connect: '/connect',
} as const

export type PageName = keyof typeof pages

/** Query parameters that only change the view of a chart. */
export const viewParameters = ['range', 'from', 'to', 'scale', 'y'] as const

/** Resources that the HTML of a page preloads, relative to the app. */
export interface PagePreloads {
  readonly scripts: readonly string[]
  /** Requests, with `{name}` for a part of the page's address. */
  readonly always: readonly string[]
  /** Requests of addresses that have no parameters except `viewParameters`. */
  readonly plain: readonly string[]
}
