import { z } from 'zod'
import { coinsOf } from '#base/bitcoin.ts'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { type Bin, costAtPercentile, mergeBins, percentBelow, satsBetween, sumSats } from '../answers/cost-bands.ts'
import { metaNotes } from '../answers/notes.ts'
import { date, parameters } from '../answers/parameters.ts'
import { significant, significantOrNull } from '../answers/significant.ts'
import { ToolError } from '../client/tool-error.ts'
import { defineTool } from './tool.ts'

const distribution = successSchema(rows.costBasis)
const series = successSchema(rows.series)
const defaultBands = 10
const percentiles = [5, 10, 25, 50, 75, 90, 95]

export const costBasis = defineTool({
  name: 'get_cost_basis',
  title: 'Cost basis distribution',
  description:
    'How much of the supply last moved at which price (URPD) after one day: how much cost less than the price, percentiles, and what lies between two prices. Prices are those of the last move, not of a purchase; a band from 0 to 0 is of coins that last moved before there was a price. Needs a key of tier enterprise.',
  input: parameters({
    date: date.optional().describe('YYYY-MM-DD; the newest day without it'),
    price_from: z.number().min(0).optional().describe('USD'),
    price_to: z.number().positive().optional().describe('USD'),
    rows: z.int().min(0).max(100).default(defaultBands).describe('Price bands to show at most'),
  }),
  output: z.object({
    notes: z.array(z.string()).optional(),
    date: z.string().nullable(),
    price: z.number().nullable().describe('Close of that day, USD'),
    supply_btc: z.number(),
    percent_below_price: z.number().nullable().describe('Percent of the supply that cost less than the price'),
    cost_percentiles: z
      .array(z.object({ percent: z.number(), cost_usd: z.number().nullable() }))
      .describe('Percent of the supply cost at most so much'),
    between: z
      .object({
        from_usd: z.number(),
        to_usd: z.number().nullable(),
        supply_btc: z.number(),
        percent_of_supply: z.number(),
      })
      .optional()
      .describe('What cost between price_from and price_to'),
    columns: z.array(z.string()).optional(),
    rows: z.array(z.array(z.number())).optional().describe('Prices ascend; bands without coins are absent'),
  }),
  run: async ({ date: asked, price_from, price_to, rows: most }, { rest, signal }) => {
    const [from, to] = [price_from ?? 0, price_to ?? Number.POSITIVE_INFINITY]
    if (from >= to) throw new ToolError(`price_from ${from} is not below price_to ${to}`, 'exchange them')
    const query = new URLSearchParams({ ...(asked !== undefined && { date: asked }), limit: '10000' })
    const { data, meta } = await rest.get(`${endpoints.costBasis.path}?${query}`, distribution, signal)
    const day = data[0]?.date ?? null
    const price = day === null ? null : await readPrice(day)
    const supply = sumSats(data)
    const below = price === null ? null : percentBelow(data, price)
    const notes =
      data.length === 0 && meta.note === undefined ? [`No rows: there are none of ${asked}.`] : metaNotes(meta)
    const isBounded = price_from !== undefined || price_to !== undefined
    const between = satsBetween(data, from, to)
    return {
      structured: {
        ...(notes.length > 0 && { notes }),
        date: day,
        price: significantOrNull(price),
        supply_btc: significant(coinsOf(supply)),
        percent_below_price: significantOrNull(below),
        cost_percentiles: percentiles.map((percent) => ({
          percent,
          cost_usd: significantOrNull(costAtPercentile(data, percent)),
        })),
        ...(isBounded && {
          between: {
            from_usd: from,
            to_usd: price_to ?? null,
            supply_btc: significant(coinsOf(between)),
            percent_of_supply: significant(supply === 0 ? 0 : (100 * between) / supply),
          },
        }),
        ...(most > 0 && priceBands(data, most, supply, from, to)),
      },
    }

    async function readPrice(of: string): Promise<number | null> {
      const range = new URLSearchParams({ metrics: 'price', start_date: of, end_date: of })
      const { data: found } = await rest.get(`${endpoints.series.path}?${range}`, series, signal)
      const value = found[0]?.price
      return typeof value === 'number' ? value : null
    }
  },
})

/** The bands of the prices asked for. */
function priceBands(data: readonly Bin[], most: number, supply: number, from: number, to: number) {
  const { bands } = mergeBins(
    data.filter(({ upper_price, lower_price }) => (upper_price > from || lower_price >= from) && lower_price < to),
    most,
  )
  return {
    columns: ['cost_from_usd', 'cost_below_usd', 'supply_btc', 'percent_of_supply'],
    rows: bands.map(({ from: lower, to: upper, sats }) =>
      [lower, upper, coinsOf(sats), (100 * sats) / supply].map(significant),
    ),
  }
}
