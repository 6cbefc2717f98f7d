import { difficultyPeriod, difficultyProgress } from '#base/bitcoin.ts'
import { isoDate, secondsPerDay } from '#base/days.ts'
import { readRecentDays } from '../../data/columns.ts'
import { health } from '../../data/freshness.ts'
import { Bar } from '../../parts/bar.tsx'
import { longDate, writeCount } from '../../parts/numbers.ts'
import { useLastDay } from '../../parts/use-answer.tsx'

/** Periods take about 14 days. */
const maxPeriodDays = 40

/** Networks with other difficulty rules, or none. */
const otherNetworks: ReadonlySet<string> = new Set(['simulated', 'regtest'])

export function Period() {
  const { tip_height, tip_time, published } = health.value ?? {}
  const { network = '' } = published ?? {}
  const { value: heights } = useLastDay(
    async (last) => (otherNetworks.has(network) ? undefined : readRecentDays(['block_height'], last, maxPeriodDays)),
    [network],
  )
  if (otherNetworks.has(network)) {
    return (
      <section>
        <h2>Difficulty period</h2>
        <p class="muted">
          Bitcoin changes its difficulty every {writeCount(difficultyPeriod)} blocks. The {network} chain does not
          follow that rule, so there is nothing to show here.
        </p>
      </section>
    )
  }
  if (!heights || typeof tip_height !== 'number' || typeof tip_time !== 'string') return null
  const column = heights.values.get('block_height')
  const began = column && estimateTime(tip_height - (tip_height % difficultyPeriod), column, heights.firstDay)
  if (began === undefined) return null
  const seconds = Date.parse(tip_time) / 1000 - began
  const { blocks, factor } = difficultyProgress(tip_height, seconds)
  const left = difficultyPeriod - blocks
  const next = blocks === 0 ? undefined : began + (seconds / blocks) * difficultyPeriod
  return (
    <section class="period">
      <h2>Difficulty period</h2>
      <p class="muted">
        {writeCount(blocks)} of {writeCount(difficultyPeriod)} blocks are mined, {writeCount(left)} are left
        {factor !== undefined && next !== undefined && (
          <>
            . At the pace so far, {(seconds / blocks / 60).toFixed(1)} minutes a block, difficulty changes about{' '}
            {longDate(isoDate(Math.floor(next / secondsPerDay)))} by about {percent(factor)}
          </>
        )}
        .
      </p>
      <Bar share={blocks / difficultyPeriod} />
    </section>
  )
}

/** Unix seconds, interpolated between heights at ends of days. */
function estimateTime(height: number, heights: Float64Array, firstDay: number): number | undefined {
  const at = heights.findIndex((one) => one >= height)
  const [before, reached] = [heights[at - 1], heights[at]]
  if (before === undefined || reached === undefined) return undefined
  return (firstDay + at + (height - before) / (reached - before)) * secondsPerDay
}

const percent = (factor: number): string =>
  `${factor < 1 ? '\u2212' : '+'}${Math.abs(100 * (factor - 1)).toFixed(1)}\u00a0%`
