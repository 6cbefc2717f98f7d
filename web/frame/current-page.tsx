import type { FunctionComponent } from 'preact'
import type { PageName } from '#contract/pages.ts'
import { match, type PageProps } from '../app/router.ts'
import { useAnswer } from '../data/use-answer.ts'
import { Failed } from '../parts/failed.tsx'

const loaders: Readonly<Record<PageName, () => Promise<FunctionComponent<PageProps>>>> = {
  today: async () => (await import('../pages/today/today.tsx')).Today,
  metrics: async () => (await import('../pages/metrics/metrics.tsx')).MetricsPage,
  workbench: async () => (await import('../pages/workbench/workbench.tsx')).Workbench,
  metric: async () => (await import('../pages/metric/metric.tsx')).MetricPage,
  cohorts: async () => (await import('../pages/cohorts/cohorts.tsx')).Cohorts,
  cycles: async () => (await import('../pages/cycles/cycles.tsx')).Cycles,
  mining: async () => (await import('../pages/mining/mining.tsx')).Mining,
  addresses: async () => (await import('../pages/addresses/addresses.tsx')).Addresses,
  markets: async () => (await import('../pages/markets/markets.tsx')).Markets,
  chart: async () => (await import('../pages/chart/chart.tsx')).ChartPage,
  board: async () => (await import('../pages/board/board.tsx')).BoardPage,
  alerts: async () => (await import('../pages/alerts/alerts.tsx')).AlertsPage,
  status: async () => (await import('../pages/status/status.tsx')).Status,
  guides: async () => (await import('../pages/guides/guides.tsx')).Guides,
  guide: async () => (await import('../pages/guides/guide.tsx')).Guide,
  account: async () => (await import('../pages/account/account.tsx')).AccountPage,
  connect: async () => (await import('../pages/connect/connect.tsx')).ConnectPage,
}

const loaded = new Map<PageName, Promise<FunctionComponent<PageProps>>>()

export function loadPage(page: PageName): Promise<FunctionComponent<PageProps>> {
  const found = loaded.get(page) ?? loaders[page]()
  loaded.set(page, found)
  found.catch(() => loaded.delete(page))
  return found
}

export function CurrentPage() {
  const found = match.value
  return <Loaded key={found?.page} page={found?.page} parameters={found?.parameters ?? {}} />
}

function Loaded({ page, parameters }: PageProps & { readonly page: PageName | undefined }) {
  const { value, error, retry } = useAnswer(
    async () => ({ Page: page ? await loadPage(page) : (await import('./not-found.tsx')).NotFound }),
    [page],
  )
  if (value) return <value.Page parameters={parameters} />
  return error ? <Failed error={error} retry={retry} /> : null
}
