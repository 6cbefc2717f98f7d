/** Relative to the base path; `{name}` matches one segment. */
export const pages = {
  today: '/',
  charts: '/charts',
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
  signals: '/signals',
  status: '/status',
  guides: '/guides',
  guide: '/docs/{name}',
  account: '/account',
  connect: '/connect',
  wallets: '/wallets',
  sql: '/sql',
} as const

export type PageName = keyof typeof pages

/** Change only the view of a chart. */
export const viewParameters = ['range', 'from', 'to', 'scale', 'y', 'as_of'] as const

/** For the HTML of a page, relative to the app. */
export interface PagePreloads {
  readonly scripts: readonly string[]
  /** `{name}` is a part of the page's address. */
  readonly always: readonly string[]
  /** Only without parameters other than `viewParameters`. */
  readonly plain: readonly string[]
}
