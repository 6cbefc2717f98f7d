/** Addresses of the pages of the web app, below the path under which it is served; `{name}` stands for any one part. */
export const pages = {
  today: '/',
  metrics: '/metrics',
  workbench: '/workbench',
  metric: '/metrics/{id}',
  cohorts: '/cohorts',
  cycles: '/cycles',
  mining: '/mining',
  markets: '/markets',
  status: '/status',
  guides: '/guides',
  guide: '/guides/{name}',
  account: '/account',
} as const

export type PageName = keyof typeof pages
