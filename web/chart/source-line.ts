import { dayAt } from '#base/days.ts'
import { formatDay } from '#render/page/page.ts'
import { health } from '../data/freshness.ts'

/** Worded as on the API's charts; empty until known. */
export function sourceLine(): string {
  const { generation, published } = health.value ?? {}
  if (!generation || !published) return ''
  const data = published.simulated ? 'Simulated data' : `Bitcoin ${published.network}`
  return `${data} · generation ${generation.replace(/^[^-]*-/, '')} of ${formatDay(dayAt(Date.parse(published.at)))}`
}
