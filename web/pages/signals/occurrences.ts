import { changesAfter, findSpells, summarizeCases } from '#base/condition-days.ts'
import { parseDay } from '#base/days.ts'
import { read } from '../../data/client.ts'
import { fullDigits } from '../../data/columns.ts'

const horizons = [30, 90, 365]

/** Days on which a condition was true, and what the price did after them and after all days. */
export async function readOccurrences(formula: string) {
  const { data } = await read('series', { metrics: 'price', formula, limit: 10_000, digits: fullDigits })
  const rows = data.toReversed()
  const days = Int32Array.from(rows, ({ date }) => parseDay(date))
  const [truth, prices] = ['formula', 'price'].map((name) =>
    Float64Array.from(rows, (row) => Number(row[name] ?? Number.NaN)),
  )
  if (!truth || !prices) throw new Error('the answer has no columns')
  const known = rows.flatMap((_, row) => (Number.isNaN(truth[row]) ? [] : [row]))
  const spells = findSpells(truth)
  const starts = spells.map(({ from }) => from)
  const last = spells.at(-1)
  return {
    /** First day on which the condition is known; undefined if none is. */
    from: rows[known[0] ?? -1]?.date,
    isCondition: known.every((row) => truth[row] === 0 || truth[row] === 1),
    trueDays: known.filter((row) => truth[row] !== 0).length,
    knownDays: known.length,
    /** First unix days of intervals, oldest first. */
    starts: starts.map((row) => days[row]!),
    trueSince: last && last.to === known.at(-1) ? rows[last.from]?.date : undefined,
    followed: horizons.flatMap((later) =>
      [starts, known].map((cases, i) => {
        const found = changesAfter(days, prices, cases, later)
        return { ...summarizeCases(found, later), days: later, cases: found.length, isBase: i === 1 }
      }),
    ),
  }
}
