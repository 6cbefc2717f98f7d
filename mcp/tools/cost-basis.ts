import { z } from 'zod'
import { satsToBtc } from '#base/bitcoin.ts'
import { rows } from '#contract/rows.ts'
import { metaNotes, withNotes } from '../answers/notes.ts'
import { date, parameters } from '../answers/parameters.ts'
import { significant, significantOrNull } from '../answers/rows.ts'
import type { Call } from '../client/call.ts'
import { readRows } from '../client/read-rows.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

const bins = rows.costBasis.omit({ spent_sats: true, spent: true })
const defaultBands = 4
const percentiles = [5, 10, 25, 50, 75, 90, 95]

export const costBasis = defineTool({
  name: 'get_cost_basis',
  title: 'Cost basis distribution',
  description:
    'How much of the supply last moved at which price (URPD), at the end of one day: the part that cost less than the price, percentiles, and the supply between two prices. Prices are those of the last move, not of a purchase; the band from 0 to 0 holds coins that last moved before there was a price. Needs a key of tier enterprise.',
  input: parameters({
    date: date.optional().describe('YYYY-MM-DD; default: the newest day'),
    price_from: z.number().min(0).optional().describe('USD'),
    price_to: z.number().positive().optional().describe('USD'),
    // Not `rows` or `limit`: however few bands, they contain all coins.
    bands: z.int().min(0).max(100).default(defaultBands).describe('Equal price bands to merge all coins into, at most'),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    date: z.string().nullable(),
    price: z.number().nullable().describe('Close of that day, USD'),
    supply_btc: z.number(),
    percent_below_price: z.number().nullable().describe('Percent of the supply that cost less than the price'),
    cost_percentiles: z
      .array(z.object({ percent: z.number(), cost_usd: z.number().nullable() }))
      .describe('That percent of the supply cost at most cost_usd'),
    between: z
      .object({
        from_usd: z.number(),
        to_usd: z.number().nullable(),
        supply_btc: z.number(),
        percent_of_supply: z.number(),
      })
      .optional()
      .describe('Supply that cost between price_from and price_to'),
    columns: z.array(z.string()).optional(),
    rows: z.array(z.array(z.number())).optional().describe('Prices ascend; bands without coins are absent'),
  }),
  run: async ({ date: requested, price_from, price_to, bands: maxBands }, call) => {
    const [from, to] = [price_from ?? 0, price_to ?? Number.POSITIVE_INFINITY]
    if (from >= to) throw new ToolError(`price_from ${from} is not below price_to ${to}`, 'exchange them')
    const { data: all, meta } = await readRows(call, '/v1/cost-basis', { date: requested, limit: 10_000 }, bins)
    const data = all.filter(({ supply_sats }) => supply_sats > 0)
    const day = data[0]?.date ?? null
    const price = day === null ? null : await readPrice(day, call)
    const supply = sumSats(data)
    const below = price === null ? null : percentBelow(data, price)
    const notes =
      data.length === 0 && meta.note === undefined ? [`No rows: there is no data of ${requested}.`] : metaNotes(meta)
    const isBounded = price_from !== undefined || price_to !== undefined
    const between = satsBetween(data, from, to)
    return {
      ...withNotes(notes),
      date: day,
      price: significantOrNull(price),
      supply_btc: significant(satsToBtc(supply)),
      percent_below_price: significantOrNull(below),
      cost_percentiles: percentiles.map((percent) => ({
        percent,
        cost_usd: significantOrNull(costAtPercentile(data, percent)),
      })),
      ...(isBounded && {
        between: {
          from_usd: from,
          to_usd: price_to ?? null,
          supply_btc: significant(satsToBtc(between)),
          percent_of_supply: significant(supply === 0 ? 0 : (100 * between) / supply),
        },
      }),
      ...(maxBands > 0 && priceBands(data, maxBands, supply, from, to)),
    }
  },
})

async function readPrice(day: string, call: Call): Promise<number | null> {
  const query = { metrics: 'price', start_date: day, end_date: day }
  const [close] = (await readRows(call, '/v1/series', query, rows.series)).data
  return typeof close?.price === 'number' ? close.price : null
}

function priceBands(data: readonly Bin[], maxBands: number, supply: number, from: number, to: number) {
  const bands = mergeBins(
    data.filter(({ upper_price, lower_price }) => (upper_price > from || lower_price >= from) && lower_price < to),
    maxBands,
  )
  return {
    columns: ['cost_from_usd', 'cost_below_usd', 'supply_btc', 'percent_of_supply'],
    rows: bands.map(({ from: lower, to: upper, sats }) =>
      [lower, upper, satsToBtc(sats), (100 * sats) / supply].map(significant),
    ),
  }
}

type Bin = z.output<typeof bins>

/** In USD, from `from` to below `to`. */
export interface Band {
  readonly from: number
  readonly to: number
  readonly sats: number
}

/** At most `maxBands` bands of equal price ratio, from ascending bins. */
export function mergeBins(bins: readonly Bin[], maxBands: number): Band[] {
  for (let binsPerBand = 1; ; binsPerBand++) {
    const groups = [...Map.groupBy(bins, ({ bin }) => Math.floor(bin / binsPerBand)).values()]
    if (groups.length > maxBands) continue
    return groups.map((members) => ({
      from: members[0]!.lower_price,
      to: members.at(-1)!.upper_price,
      sats: sumSats(members),
    }))
  }
}

const sumSats = (bins: readonly Bin[]): number => bins.reduce((sum, { supply_sats }) => sum + supply_sats, 0)

/** In USD: upper end of the bin in which `percent` of the supply is reached. */
export function costAtPercentile(bins: readonly Bin[], percent: number): number | null {
  const wanted = (sumSats(bins) * percent) / 100
  let below = 0
  for (const { supply_sats, upper_price } of bins) {
    below += supply_sats
    if (below >= wanted) return upper_price
  }
  return null
}

/** Bounds are in USD. Bins that contain one count in part. */
export function satsBetween(bins: readonly Bin[], from: number, to: number): number {
  return bins.reduce((sum, { lower_price, upper_price, supply_sats }) => {
    const shared = Math.min(to, upper_price) - Math.max(from, lower_price)
    // Coins last moved before the first price cost 0, in a bin without width.
    if (upper_price === lower_price) return lower_price >= from && lower_price < to ? sum + supply_sats : sum
    return shared <= 0 ? sum : sum + supply_sats * (shared / (upper_price - lower_price))
  }, 0)
}

/** The price's own bin counts in part, as if spread evenly. */
export function percentBelow(bins: readonly Bin[], price: number): number | null {
  const all = sumSats(bins)
  if (all === 0) return null
  return (100 * satsBetween(bins, 0, price)) / all
}
