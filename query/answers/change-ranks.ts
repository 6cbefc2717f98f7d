import { LRUCache } from 'lru-cache'
import { correlation } from '#base/correlation.ts'
import { pacedTurns } from '#base/own-turn.ts'
import { percentileRank } from '#base/percentile-rank.ts'
import { shareSuccess } from '#base/shared-promises.ts'
import type { Metric } from '../catalogue.ts'
import type { UnrestrictedView } from '../view.ts'

/** Cells for which each metric counts. */
const cellsPerMetric = 7_000
/** Only the newest days: in early years everything moved together. */
const correlatedDays = 730
const minCorrelation = 0.9
/** Percent of rises outside which a metric is a trend, whose changes are no news. */
const [minRises, maxRises] = [10, 90]

type ChangeRank = Omit<ReturnType<typeof rankChange>, 'changes'> & { readonly like: string | undefined }
type Ranks = ReadonlyMap<string, ChangeRank>

/** By generation, period and metrics: they take a second, and are the same for every `limit`. */
const recent = new LRUCache<string, Promise<Ranks>>({ max: 16 })

/**
 * Over `days` days, by metric id. `like`: first metric of the category with nearly the same
 * changes.
 */
export function rankChanges(view: UnrestrictedView, metrics: readonly Metric[], days: number): Promise<Ranks> {
  const key = `${view.all.state} ${days} ${metrics.map(({ id }) => id).join()}`
  return shareSuccess(recent, key, () => computeRanks(view, metrics, days))
}

async function computeRanks({ all, work }: UnrestrictedView, metrics: readonly Metric[], days: number): Promise<Ranks> {
  const ranks = new Map<Metric, ReturnType<typeof rankChange> & { readonly like: string | undefined }>()
  const columns = await all.valuesOf(metrics)
  const recomputed = metrics.filter(({ aggregate }) => aggregate === 'formula' && days > 1)
  const means = new Map((await all.periodValuesOf(recomputed, days)).map((values, i) => [recomputed[i], values]))
  work.spend(cellsPerMetric * metrics.length)
  const turn = pacedTurns()
  for (const [i, metric] of metrics.entries()) {
    await turn()
    const rank = rankChange(columns[i]!, days, metric.kind !== 'level', means.get(metric))
    const newest = rank.changes.subarray(-correlatedDays)
    const same = [...ranks].find(([{ category }, { percentile, like, changes }]) => {
      const isPlain = category === metric.category && like === undefined && !Number.isNaN(percentile)
      return isPlain && Math.abs(correlation(newest, changes.subarray(-correlatedDays)) ?? 0) >= minCorrelation
    })
    ranks.set(metric, { ...rank, like: same?.[0].id })
  }
  return new Map([...ranks].map(([{ id }, { changes: _, ...rank }]) => [id, rank]))
}

/**
 * Newest change over `days` rows: of a level between two days, else of the means of two successive
 * periods, or of `means`, which a formula has over them; in percent (unknown from 0), or a
 * difference if any value is negative. The percentile is NaN for a trend. `firstRow` is the
 * earliest row used.
 */
export function rankChange(values: Float64Array, days: number, isMean: boolean, means?: Float64Array) {
  const levels = means ?? (isMean && days > 1 ? values.map((_, row) => meanUpTo(values, row, days)) : values)
  const isPercent = values.every((value) => !(value < 0))
  const changes = levels.map((end, row) => {
    const start = levels[row - days] ?? Number.NaN
    return isPercent ? 100 * (end / (start || Number.NaN) - 1) : end - start
  })
  const last = values.findLastIndex((value) => !Number.isNaN(value))
  const change = changes[last] ?? Number.NaN
  const known = changes.filter((one) => !Number.isNaN(one))
  let [risen, changed] = [0, 0]
  for (const one of known) {
    if (one > 0) risen++
    if (one !== 0) changed++
  }
  const rises = (100 * risen) / changed
  const isTrend = rises < minRises || rises > maxRises || Number.isNaN(change)
  const percentile = isTrend ? Number.NaN : percentileRank(known, change)
  return { changes, firstRow: last - (isMean ? 2 * days - 1 : days), change, isPercent, percentile }
}

/** Mean of the known values of `days` rows; NaN if the last has none. */
function meanUpTo(values: Float64Array, row: number, days: number): number {
  let [sum, count] = [0, 0]
  for (let i = Math.max(0, row - days + 1); i <= row; i++) {
    if (Number.isNaN(values[i]!)) continue
    sum += values[i]!
    count++
  }
  return Number.isNaN(values[row]!) ? Number.NaN : sum / count
}
