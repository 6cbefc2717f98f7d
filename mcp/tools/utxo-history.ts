import { z } from 'zod'
import { btcToSats, satsToBtc } from '#base/bitcoin.ts'
import { mapInTurns } from '#base/own-turn.ts'
import { ageBands } from '#contract/cohorts.ts'
import { rows } from '#contract/rows.ts'
import { encodedLength, maxCharacters } from '../answers/bounded.ts'
import { seriesNotes, withNotes } from '../answers/notes.ts'
import { date, parameters, rangeParameters } from '../answers/parameters.ts'
import { cell, type Rows, rowsParameter, significant, significantOrNull } from '../answers/rows.ts'
import { readRows } from '../client/read-rows.ts'
import { defineTool } from './tool.ts'

type Row = z.output<typeof rows.utxoHistory>

const amounts = { btc: z.number(), usd: z.number().nullable().describe('At the price of date_processed') }

export const utxoHistory = defineTool({
  name: 'get_utxo_history',
  title: 'Age of all coins',
  description:
    'The unspent coins after one day by the day on which they were created: how much of the supply is how old, in sums by age band; with rows also by day, month or year. days counts creation days, newest first: 10000 is all coins.',
  input: parameters({
    date_processed: date.optional().describe('Default: the newest day'),
    cohort_start: date.optional().describe('First day of creation'),
    cohort_end: date.optional(),
    days: rangeParameters.days.describe('Newest days of creation'),
    rows: rowsParameter.describe('Days, months or years of creation to show; none by default'),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    date_processed: z.string().nullable(),
    row_count: z.number().describe('Days of creation with coins left'),
    total: z.object(amounts),
    age_bands: z.array(z.object({ cohort: z.string(), ...amounts, percent_of_total: z.number() })),
    merging: z.string().nullable().optional().describe('How rows were merged to fit; null if each is one day'),
    columns: z.array(z.string()).optional(),
    rows: z.array(z.array(cell)).optional().describe('Newest first'),
  }),
  run: async ({ days, rows: shown = 'none', ...dates }, call) => {
    const { data, meta } = await readRows(call, '/v1/utxo/history', { ...dates, limit: days }, rows.utxoHistory)
    const total = sumAmounts(data)
    const notes = seriesNotes(meta)
    if (data.length === days && days < 10_000) {
      notes.push(`Only the ${days} newest days of creation, not all coins; days: 10000 is all of them.`)
    }
    const otherParts = {
      ...withNotes(notes),
      date_processed: data[0]?.date_processed ?? null,
      row_count: data.length,
      total,
      age_bands: ageBands.flatMap(({ id }) => {
        const members = data.filter(({ cohort }) => cohort === id)
        if (members.length === 0) return []
        const sum = sumAmounts(members)
        return [{ cohort: id, ...sum, percent_of_total: significant((100 * sum.btc) / total.btc) }]
      }),
    }
    return { ...otherParts, ...(shown !== 'none' && (await mergeToFit(data, otherParts, shown))) }
  },
})

const columns = ['created', 'btc', 'usd']

/** By day of creation, or month or year to fit. */
async function mergeToFit(data: readonly Row[], besides: unknown, shown: Rows) {
  const merge = async (length: number, merging: string | null) => {
    const groups = [...Map.groupBy(data, ({ cohort_date }) => cohort_date.slice(0, length))]
    const rows = await mapInTurns(typeof shown === 'number' ? groups.slice(0, shown) : groups, ([created, members]) => {
      const { btc, usd } = sumAmounts(members)
      return [created, btc, usd]
    })
    return { merging, columns, rows }
  }
  const fits = (attempt: unknown): boolean => encodedLength([besides, attempt]) <= maxCharacters
  const byDay = await merge(10, null)
  if (fits(byDay)) return byDay
  const byMonth = await merge(7, 'by month of creation, amounts added up')
  return fits(byMonth) ? byMonth : merge(4, 'by year of creation, amounts added up')
}

/** Adds satoshis, so that sums are exact. */
function sumAmounts(members: readonly Row[]) {
  const sats = members.reduce((sum, { token_amount }) => sum + btcToSats(token_amount), 0)
  const isPriced = members.every(({ usd_value }) => usd_value !== null)
  const usd = members.reduce((sum, { usd_value }) => sum + (usd_value ?? 0), 0)
  return { btc: significant(satsToBtc(sats)), usd: significantOrNull(isPriced ? usd : null) }
}
