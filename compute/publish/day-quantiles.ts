import path from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { freeMemory } from '#base/free-memory.ts'
import { streamColumns } from '#sql/columns.ts'
import { filesRelation, type Relation } from '#sql/relation.ts'
import { writeColumns } from '#sql/write-columns.ts'
import { createColumns } from '../cohorts/number-columns.ts'
import { binCount, binLowerEdge, binWidth } from '../scan/log-histogram.ts'
import { type NewDays, newDates } from './closed-days.ts'

/** By kind of histogram (`scan.ts`). */
const histogramNames = ['ages', 'fees', 'rates', 'created', 'spent', 'transfers'] as const
const percents = [10, 25, 50, 75, 90] as const
/** Few enough for the counts of all bins. */
const daysPerStep = 500

/**
 * Writes columns `<name>_p<percent>` with the quantiles of the histograms of new days to a file in
 * `folder`, for the caller to remove. Values are whole numbers, spread evenly over their bin; a
 * quantile lies in the first bin that reaches its share of the count.
 */
export async function writeQuantiles(
  connection: DuckDBConnection,
  folder: string,
  newDays: NewDays,
  scanned: Relation<'segment_histograms'>,
): Promise<Relation<'quantiles'>> {
  const dates = newDates(newDays)
  const columns = histogramNames.flatMap((name) => percents.map((percent) => `${name}_p${percent}`))
  const values = createColumns(columns, dates.length, Number.NaN)
  const histograms = Math.min(daysPerStep, dates.length) * histogramNames.length
  const counts = new Float64Array(histograms * binCount)
  const totals = new Float64Array(histograms)
  const firstBins = new Int32Array(histograms)
  for (let first = 0; first < dates.length; first += daysPerStep) {
    const days = dates.subarray(first, first + daysPerStep)
    counts.fill(0)
    totals.fill(0)
    firstBins.fill(binCount)
    const rows = streamColumns(
      connection,
      `SELECT date, kind, bin, count::DOUBLE AS count FROM ${scanned.from}
       WHERE date BETWEEN DATE '1970-01-01' + ${days[0]!} AND DATE '1970-01-01' + ${days.at(-1)!}`,
    )
    for await (const { rows: length, columns } of rows) {
      const { date, kind, bin, count } = columns
      for (let row = 0; row < length; row++) {
        const histogram = (date![row]! - days[0]!) * histogramNames.length + kind![row]!
        counts[histogram * binCount + bin![row]!]! += count![row]!
        totals[histogram]! += count![row]!
        if (bin![row]! < firstBins[histogram]!) firstBins[histogram] = bin![row]!
      }
    }
    for (let i = 0; i < days.length * histogramNames.length; i++) {
      const [day, kind] = [Math.floor(i / histogramNames.length), i % histogramNames.length]
      const bins = counts.subarray(i * binCount, (i + 1) * binCount)
      findQuantiles(bins, firstBins[i]!, totals[i]!).forEach((value, place) => {
        values[columns[kind * percents.length + place]!]![first + day] = value
      })
    }
  }
  freeMemory(counts)
  const file = quantilesFile(folder)
  writeColumns(
    file,
    [
      { name: 'date', type: 'DATE', values: dates },
      ...columns.map((name) => ({ name, type: 'DOUBLE' as const, values: values[name]! })),
    ],
    false,
  )
  return filesRelation('quantiles', [file])
}

export const quantilesFile = (folder: string): string => path.join(folder, 'quantiles.part')

/** Returns one number for each percentage, or none without values. */
function findQuantiles(counts: Float64Array, firstBin: number, total: number): number[] {
  const quantiles: number[] = []
  let reached = 0
  for (let bin = firstBin; quantiles.length < percents.length && reached < total; bin++) {
    if (counts[bin] === 0) continue
    const before = reached
    reached += counts[bin]!
    for (const percent of percents.slice(quantiles.length)) {
      const rank = (percent * total) / 100
      if (reached < rank) break
      quantiles.push(binLowerEdge(bin) + (Math.max(binWidth(bin) - 1, 0) * (rank - before)) / counts[bin]!)
    }
  }
  return quantiles
}
