import type { FunctionComponent } from 'preact'
import type { PageName } from '#contract/pages.ts'
import { match, type PageProps } from '../app/router.ts'
import { health } from '../data/freshness.ts'
import { lazy } from '../parts/lazy.tsx'
import { NothingPublished } from './nothing-published.tsx'

const pages: Readonly<Record<PageName, FunctionComponent<PageProps>>> = {
  today: lazy(async () => (await import('../pages/today/today.tsx')).Today),
  charts: lazy(async () => (await import('../pages/charts/charts.tsx')).Charts),
  metrics: lazy(async () => (await import('../pages/metrics/metrics.tsx')).MetricsPage),
  workbench: lazy(async () => (await import('../pages/workbench/workbench.tsx')).Workbench),
  metric: lazy(async () => (await import('../pages/metric/metric.tsx')).MetricPage),
  cohorts: lazy(async () => (await import('../pages/cohorts/cohorts.tsx')).Cohorts),
  cycles: lazy(async () => (await import('../pages/cycles/cycles.tsx')).Cycles),
  mining: lazy(async () => (await import('../pages/mining/mining.tsx')).Mining),
  addresses: lazy(async () => (await import('../pages/addresses/addresses.tsx')).Addresses),
  markets: lazy(async () => (await import('../pages/markets/markets.tsx')).Markets),
  chart: lazy(async () => (await import('../pages/chart/chart.tsx')).ChartPage),
  board: lazy(async () => (await import('../pages/board/board.tsx')).BoardPage),
  alerts: lazy(async () => (await import('../pages/alerts/alerts.tsx')).AlertsPage),
  signals: lazy(async () => (await import('../pages/signals/signals.tsx')).Signals),
  status: lazy(async () => (await import('../pages/status/status.tsx')).Status),
  guides: lazy(async () => (await import('../pages/guides/guides.tsx')).Guides),
  guide: lazy(async () => (await import('../pages/guides/guide.tsx')).Guide),
  account: lazy(async () => (await import('../pages/account/account.tsx')).AccountPage),
  wallets: lazy(async () => (await import('../pages/wallets/wallets.tsx')).Wallets),
  sql: lazy(async () => (await import('../pages/sql/sql.tsx')).SqlPage),
  connect: lazy(async () => (await import('../pages/connect/connect.tsx')).ConnectPage),
}

const NotFound = lazy(async () => (await import('./not-found.tsx')).NotFound)

/** Useful before anything is published. */
const pagesWithoutData: ReadonlySet<PageName> = new Set(['status', 'guides', 'guide', 'account', 'connect', 'wallets'])

export function CurrentPage() {
  const { page, parameters = {} } = match.value ?? {}
  if (health.value?.status === 'data_not_ready' && page && !pagesWithoutData.has(page)) {
    return <NothingPublished health={health.value} />
  }
  const Page = page ? pages[page] : NotFound
  return <Page parameters={parameters} />
}
