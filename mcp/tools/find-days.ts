import { max, min } from 'd3-array'
import { z } from 'zod'
import { type Case, changesAfter, findSpells, type Spell, summarizeCases } from '#base/condition-days.ts'
import { isoDate } from '#base/days.ts'
import { mapInTurns } from '#base/own-turn.ts'
import { onlySince, seriesNotes, withNotes } from '../answers/notes.ts'
import { metricId, parameters, rangeParameters } from '../answers/parameters.ts'
import { knownRows, type Range, round, rowsIn, significant } from '../answers/rows.ts'
import { formulaField } from '../answers/series-answer.ts'
import { knownDays } from '../answers/statistics.ts'
import type { Call } from '../client/call.ts'
import { readSeries } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { formula } from './series.ts'
import { defineTool } from './tool.ts'

const interval = z.object({ from: z.string(), to: z.string(), days: z.number() })
const only_since = z
  .string()
  .optional()
  .describe('If present: earlier days are not seen here, so never and ever do not follow')
const horizons = [30, 90, 365]

export const findDays = defineTool({
  name: 'find_days',
  title: 'When was it so',
  description:
    'Days on which a condition held, such as mvrv < 1 and percent_change(price, 7) < -20 (percent): on how many, in which intervals, when last, whether it holds now, and what the price (or outcome) did 30, 90 and 365 days after each interval began, next to the same after all days. A formula as in get_series.',
  input: parameters({
    condition: formula.describe('True if not 0'),
    outcome: metricId.default('price'),
    ...rangeParameters,
    days: rangeParameters.days.default(10_000),
    limit: z.int().min(1).max(200).default(5).describe('Newest intervals to show'),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    from: z.string().nullable().describe('First day searched'),
    to: z.string().nullable(),
    days: z.object({ true: z.number(), known: z.number(), intervals: z.number(), only_since }),
    now: z.object({ is_true: z.boolean(), since: z.string(), only_since }).nullable(),
    last: interval.extend({ only_since }).nullable(),
    longest: interval.extend({ only_since }).nullable(),
    intervals: z.array(z.array(z.union([z.string(), z.number()]))).describe('Newest first: from, to, days'),
    afterwards: z
      .object({
        columns: z.array(z.string()),
        rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
        only_since,
      })
      .describe(
        'Change of outcome in percent over these days. Cases of the condition are the first days of intervals; those of all days (the base rate) are all days on which the condition is known, true or not. independent: as many of the cases as have no days after them in common',
      ),
  }),
  run: async ({ condition, outcome, limit, ...range }, call) => {
    const history = await readSeries([outcome], call, condition)
    const { days, columns, meta } = history
    const { from, to } = rowsIn(days, range)
    const values = columns.get(formulaField)
    const truth = values?.subarray(from, to)
    const outcomes = columns.get(outcome)
    if (!values || !truth || !outcomes)
      throw new ToolError('nothing is known of the condition', 'use metrics of the tier of this connection')
    const known = truth.filter((value) => !Number.isNaN(value))
    const all = findSpells(truth).map((spell) => ({ from: spell.from + from, to: spell.to + from }))
    const searched = days.subarray(from, to)
    const formatSpell = ({ from: first, to: last }: Spell) => ({
      from: isoDate(days[first]!),
      to: isoDate(days[last]!),
      days: days[last]! - days[first]! + 1,
    })
    const cut = onlySince(meta)
    const last = all.at(-1)
    const longest = all.toSorted((one, other) => other.to - other.from - (one.to - one.from))[0]
    const starts = all.map((spell) => spell.from)
    const base = knownRows(values, { from, to })
    const followed = await mapInTurns(horizons, (daysLater) => changesAfter(days, outcomes, starts, daysLater))
    const ofAll = await mapInTurns(horizons, (daysLater) => changesAfter(days, outcomes, base, daysLater))
    const newest = truth.findLastIndex((value) => !Number.isNaN(value)) + from
    const trueDays = known.filter((value) => value !== 0).length
    return {
      ...withNotes([
        ...seriesNotes(meta),
        ...(known.length === 0 ? [`The condition has no value in this range: ${knownDays(days, values)}.`] : []),
        ...explainMissing(days, starts, followed, outcome),
        ...(known.length > 0 && (trueDays === 0 || trueDays === known.length)
          ? await describeOperands(condition, trueDays === 0 ? 'Never' : 'Always', range, call)
          : []),
      ]),
      from: searched.length > 0 ? isoDate(searched[0]!) : null,
      to: searched.length > 0 ? isoDate(searched.at(-1)!) : null,
      days: { true: trueDays, known: known.length, intervals: all.length, ...cut },
      now: known.length === 0 ? null : { ...currentState(days, all, newest, from), ...cut },
      last: last ? { ...formatSpell(last), ...cut } : null,
      longest: longest ? { ...formatSpell(longest), ...cut } : null,
      intervals: all
        .slice(-limit)
        .reverse()
        .map((spell) => Object.values(formatSpell(spell))),
      afterwards: {
        columns: ['days', 'of', 'cases', 'independent', 'median', 'lowest', 'highest', 'rose_in_percent_of_cases'],
        rows: horizons.flatMap((daysLater, i) => [
          [daysLater, 'condition', ...summarizeChanges(followed[i]!, daysLater)],
          [daysLater, 'all days', ...summarizeChanges(ofAll[i]!, daysLater)],
        ]),
        ...cut,
      },
    }
  },
})

/** A condition never or always true may expect another unit. */
async function describeOperands(condition: string, how: string, range: Range, call: Call): Promise<string[]> {
  const catalogue = await call.catalogue.read(call)
  const operands = comparedOperands(condition) ?? condition.match(/[a-z]\w*/gi) ?? []
  const ranges = await Promise.all(
    [...new Set(operands)].slice(0, maxOperands).map(async (operand) => {
      const metric = catalogue.find(operand)
      if (!metric && !operand.includes('(') && !/[-+*/^]/.test(operand)) return []
      const { days, columns } = await readSeries([], call, metric?.id ?? operand)
      const values = columns.get(formulaField) ?? new Float64Array()
      const known = knownRows(values, rowsIn(days, range)).map((row) => significant(values[row]!))
      const unit = metric ? ` (${metric.unit})` : ''
      return known.length === 0 ? [] : [`${operand} was from ${min(known)} to ${max(known)}${unit}`]
    }),
  )
  return ranges.flat().length === 0 ? [] : [`${how} true on these days: ${ranges.flat().join(', ')}.`]
}

const maxOperands = 4

/** Both sides of each comparison; undefined if one is inside a function. */
export function comparedOperands(condition: string): string[] | undefined {
  const missing = (text: string): number => text.split('(').length - text.split(')').length
  const operands = condition.split(/\b(?:and|or|not)\b|[<>=!]=?/i).map((part) => {
    let text = part.trim()
    while (missing(text) > 0 && text.startsWith('(')) text = text.slice(1).trim()
    while (missing(text) < 0 && text.endsWith(')')) text = text.slice(0, -1).trim()
    return text
  })
  if (operands.some((text) => missing(text) !== 0)) return undefined
  return operands.filter((text) => text !== '' && Number.isNaN(Number(text)))
}

function currentState(days: Int32Array, spells: readonly Spell[], newest: number, from: number) {
  const last = spells.at(-1)
  const isTrue = last?.to === newest
  const since = last === undefined ? from : isTrue ? last.from : last.to + 1
  return { is_true: isTrue, since: isoDate(days[since]!) }
}

function summarizeChanges(cases: readonly Case[], daysLater: number): (number | null)[] {
  if (cases.length === 0) return [0, 0, null, null, null, null]
  const { independent, median, lowest, highest, roseShare } = summarizeCases(cases, daysLater)
  return [
    cases.length,
    independent,
    ...[median, lowest, highest].map((change) => round(change, 2)),
    round(100 * roseShare, 1),
  ]
}

function explainMissing(
  days: Int32Array,
  starts: readonly number[],
  followed: readonly (readonly Case[])[],
  outcome: string,
): string[] {
  const open = horizons.map((daysLater) => starts.filter((row) => days[row]! + daysLater > days.at(-1)!).length)
  const unknown = followed.map((cases, i) => starts.length - open[i]! - cases.length)
  const write = (reason: string, counts: readonly number[]): string[] => {
    const parts = counts.flatMap((count, i) => (count > 0 ? [`${horizons[i]} days after ${count}`] : []))
    return parts.length > 0 ? [`${reason} (of ${starts.length} intervals): ${parts.join(', ')}.`] : []
  }
  return [...write('Not over yet', open), ...write(`No ${outcome} above 0 at the first or last day`, unknown)]
}

export const topDays = defineTool({
  name: 'top_days',
  title: 'Highest and lowest days',
  description:
    'The days with the highest or lowest values of a metric, or of a formula such as percent_change(price, 1) for the largest moves in percent.',
  input: parameters({
    metric: metricId.optional(),
    formula: formula.optional(),
    order: z.enum(['highest', 'lowest']).default('highest'),
    limit: z.int().min(1).max(100).default(10),
    ...rangeParameters,
    days: rangeParameters.days.default(10_000),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    top: z.object({
      only_since: z.string().optional().describe('If present: earlier days are not seen, so these are no records'),
      days: z.array(z.array(z.union([z.string(), z.number()]))).describe('Date and value'),
    }),
    unit: z.string().optional(),
    of_days: z.number().describe('Days with a value that were looked at'),
    from: z.string().nullable(),
    to: z.string().nullable(),
  }),
  run: async ({ metric, formula: text, order, limit, ...range }, call) => {
    if ((metric === undefined) === (text === undefined)) {
      throw new ToolError('there must be one of metric and formula', 'give one of them')
    }
    const { days, columns, meta } = await readSeries(metric === undefined ? [] : [metric], call, text)
    const values = columns.get(metric ?? formulaField) ?? new Float64Array()
    const rows = knownRows(values, rowsIn(days, range))
    const sign = order === 'highest' ? -1 : 1
    const best = rows.toSorted((one, other) => sign * (values[one]! - values[other]!) || one - other)
    const known = metric && (await call.catalogue.read(call)).find(metric)
    return {
      ...withNotes([
        ...seriesNotes(meta),
        ...(rows.length > 0 ? [] : [`No rows: it has no value in this range, but ${knownDays(days, values)}.`]),
      ]),
      top: {
        ...onlySince(meta),
        days: best.slice(0, limit).map((row) => [isoDate(days[row]!), significant(values[row]!)]),
      },
      ...(known && { unit: known.unit }),
      of_days: rows.length,
      from: rows.length > 0 ? isoDate(days[rows[0]!]!) : null,
      to: rows.length > 0 ? isoDate(days[rows.at(-1)!]!) : null,
    }
  },
})
