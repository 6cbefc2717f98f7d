import { z } from 'zod'
import { isoDate } from '#base/days.ts'
import { historyNote, metaNotes } from '../answers/notes.ts'
import { metricId, parameters, rangeParameters } from '../answers/parameters.ts'
import { significant } from '../answers/significant.ts'
import { changesAfter, findSpells, median, type Spell } from '../answers/spells.ts'
import { rowsIn } from '../answers/window.ts'
import { readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { formula } from './series.ts'
import { defineTool } from './tool.ts'

const interval = z.object({ from: z.string(), to: z.string(), days: z.number() })
const onlySince = z
  .string()
  .optional()
  .describe('There: nothing is known here of earlier days, so it does not say never or ever')
const horizons = [30, 90, 365]

export const findDays = defineTool({
  name: 'find_days',
  title: 'When was it so',
  description:
    'Days on which a condition held, such as mvrv < 1 and price > realized_price: on how many, in which intervals, when last, whether it holds now, and what the price (or outcome) did 30, 90 and 365 days after each interval began. A formula as in get_series.',
  input: parameters({
    condition: formula.describe('Holds where it is not 0'),
    outcome: metricId.default('price'),
    ...rangeParameters,
    days: rangeParameters.days.default(10_000),
    limit: z.int().min(1).max(200).default(5).describe('Newest intervals to show'),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    from: z.string().nullable().describe('First of the days that were looked at'),
    to: z.string().nullable(),
    days: z.object({ true: z.number(), known: z.number(), intervals: z.number(), only_since: onlySince }),
    now: z.object({ is_true: z.boolean(), since: z.string(), only_since: onlySince }).nullable(),
    last: interval.extend({ only_since: onlySince }).nullable(),
    longest: interval.extend({ only_since: onlySince }).nullable(),
    intervals: z.array(z.array(z.union([z.string(), z.number()]))).describe('Newest first: from, to, days'),
    afterwards: z
      .array(
        z.object({
          days: z.number(),
          cases: z.number(),
          median_percent: z.number().optional(),
          lowest_percent: z.number().optional(),
          highest_percent: z.number().optional(),
          rose_in: z.number().optional().describe('Of the cases'),
          only_since: onlySince,
        }),
      )
      .describe('What outcome did from the first day of each interval on'),
  }),
  run: async ({ condition, outcome, limit, ...range }, call) => {
    const history = await readSeries([outcome], call, condition)
    const { days, columns, meta } = history
    const { from, to } = rowsIn(days, range)
    const holds = columns.get('formula')?.subarray(from, to)
    const followed = columns.get(outcome)
    if (!holds || !followed)
      throw new ToolError('nothing is known of the condition', 'use metrics of the tier of this connection')
    const known = holds.filter((value) => !Number.isNaN(value)).length
    const all = findSpells(holds).map((spell) => ({ from: spell.from + from, to: spell.to + from }))
    const seen = days.subarray(from, to)
    const formatSpell = ({ from: first, to: last }: Spell) => ({
      from: isoDate(days[first]!),
      to: isoDate(days[last]!),
      days: days[last]! - days[first]! + 1,
    })
    const cut = meta.history_limited_to === undefined ? {} : { only_since: meta.history_limited_to }
    const last = all.at(-1)
    const longest = all.reduce<Spell | undefined>(
      (best, one) => (best && best.to - best.from >= one.to - one.from ? best : one),
      undefined,
    )
    const notes = [...metaNotes(meta), ...(meta.history_limited_to ? [historyNote(meta.history_limited_to)] : [])]
    const newest = holds.findLastIndex((value) => !Number.isNaN(value)) + from
    return {
      structured: {
        ...(notes.length > 0 && { notes }),
        from: seen.length > 0 ? isoDate(seen[0]!) : null,
        to: seen.length > 0 ? isoDate(seen.at(-1)!) : null,
        days: {
          true: holds.filter((value) => !Number.isNaN(value) && value !== 0).length,
          known,
          intervals: all.length,
          ...cut,
        },
        now: known === 0 ? null : { ...currentState(days, all, newest, from), ...cut },
        last: last ? { ...formatSpell(last), ...cut } : null,
        longest: longest ? { ...formatSpell(longest), ...cut } : null,
        intervals: all
          .slice(-limit)
          .reverse()
          .map((spell) => Object.values(formatSpell(spell))),
        afterwards: horizons.map((daysLater) => {
          const starts = all.map((spell) => spell.from)
          return { days: daysLater, ...summarizeChanges(changesAfter(days, followed, starts, daysLater)), ...cut }
        }),
      },
    }
  },
})

/** Whether it holds on the newest day, and since when it does or does not. */
function currentState(days: Int32Array, spells: readonly Spell[], newest: number, from: number) {
  const last = spells.at(-1)
  const isTrue = last?.to === newest
  const since = last === undefined ? from : isTrue ? last.from : last.to + 1
  return { is_true: isTrue, since: isoDate(days[since]!) }
}

function summarizeChanges(changes: readonly number[]) {
  if (changes.length === 0) return { cases: 0 }
  return {
    cases: changes.length,
    median_percent: significant(median(changes)),
    lowest_percent: significant(Math.min(...changes)),
    highest_percent: significant(Math.max(...changes)),
    rose_in: changes.filter((change) => change > 0).length,
  }
}
