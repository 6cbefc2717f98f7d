import { changesAfter, findSpells, summarizeCases } from '#base/condition-days.ts'
import { isoDate, parseDay } from '#base/days.ts'
import { read } from '../../data/client.ts'
import { fullDigits } from '../../data/columns.ts'

export interface Followed extends ReturnType<typeof summarizeCases> {
  readonly days: number
  readonly cases: number
  /** Of all days on which the condition is known, not of those on which it became true. */
  readonly isBase: boolean
}

export interface Occurrences {
  /** First day on which the condition is known. */
  readonly from: string | undefined
  readonly trueDays: number
  readonly knownDays: number
  /** Unix days, oldest first. */
  readonly spells: readonly { readonly first: number; readonly last: number }[]
  readonly isTrueSince: string | undefined
  readonly followed: readonly Followed[]
}

const horizons = [30, 90, 365]

export async function readOccurrences(condition: string, outcome: string): Promise<Occurrences> {
  const { data } = await read('series', { metrics: outcome, formula: condition, limit: 10_000, digits: fullDigits })
  const rows = data.toReversed()
  const days = Int32Array.from(rows, ({ date }) => parseDay(date))
  const column = (name: string) => Float64Array.from(rows, (row) => Number(row[name] ?? Number.NaN))
  const [truth, outcomes] = [column('formula'), column(outcome)]
  const known = rows.flatMap((_, row) => (Number.isNaN(truth[row]) ? [] : [row]))
  const spells = findSpells(truth)
  const starts = spells.map(({ from }) => from)
  const last = spells.at(-1)
  return {
    from: rows[known[0] ?? -1]?.date,
    trueDays: known.filter((row) => truth[row] !== 0).length,
    knownDays: known.length,
    spells: spells.map(({ from, to }) => ({ first: days[from]!, last: days[to]! })),
    isTrueSince: last && last.to === known.at(-1) ? isoDate(days[last.from]!) : undefined,
    followed: horizons.flatMap((later) =>
      [starts, known].map((cases, i) => {
        const found = changesAfter(days, outcomes, cases, later)
        return { ...summarizeCases(found, later), days: later, cases: found.length, isBase: i === 1 }
      }),
    ),
  }
}
