import { dayAt } from '#base/days.ts'
import { writeDay } from '#render/page/page.ts'
import { health } from '../data/freshness.ts'

/** Whose data charts show, and by what generation, in the words of the API's pictures; empty until it is known. */
export function sourceLine(): string {
  const { generation, published } = health.value ?? {}
  if (!generation || !published) return ''
  const data = published.simulated ? 'Simulated data' : `Bitcoin ${published.network}`
  return `${data} · generation ${generation.replace(/^[^-]*-/, '')} of ${writeDay(dayAt(Date.parse(published.at)))}`
}
