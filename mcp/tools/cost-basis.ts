import { z } from 'zod'
import { endpoints } from '#contract/endpoints.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { coinsOf } from '#root/bitcoin.ts'
import { costAtPercentile, mergeBins, percentBelow, satsIn } from '../answers/cost-bands.ts'
import { metaNotes } from '../answers/notes.ts'
import { date, parameters } from '../answers/parameters.ts'
import { round } from '../answers/statistics.ts'
import { defineTool } from './tool.ts'

const distribution = successSchema(rows.costBasis)
const series = successSchema(rows.series)
const mostBands = 100
const percentiles = [5, 10, 25, 50, 75, 90, 95]

export const costBasis = defineTool({
  name: 'get_cost_basis',
  title: 'Cost basis distribution',
  description:
    'How much of the supply last moved at which price (URPD) after one day: where holders stand in profit, and at which prices much supply lies. Prices are those of the day of the last move, not of a purchase. Needs an API key of tier enterprise.',
  input: parameters({ date: date.optional().describe('The newest day without it') }),
  output: z.object({
    notes: z.array(z.string()),
    date: z.string().nullable(),
    price: z.number().nullable().describe('Close of that day, USD'),
    supply_btc: z.number(),
    percent_below_price: z.number().nullable().describe('Percent of the supply that cost less than the price'),
    cost_percentiles: z
      .array(z.object({ percent: z.number(), cost_usd: z.number().nullable() }))
      .describe('Percent of the supply cost at most so much'),
    merging: z.string().nullable(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.number())).describe('Prices ascend; bands without coins are absent'),
    generation: z.string(),
  }),
  run: async ({ date: asked }, { rest, signal }) => {
    const query = new URLSearchParams({ ...(asked !== undefined && { date: asked }), limit: '10000' })
    const { data, meta } = await rest.get(`${endpoints.costBasis.path}?${query}`, distribution, signal)
    const day = data[0]?.date ?? null
    const price = day === null ? null : await priceOf(day)
    const supply = satsIn(data)
    const { bands, binsPerBand } = mergeBins(data, mostBands)
    const below = price === null ? null : percentBelow(data, price)
    return {
      structured: {
        notes:
          data.length === 0 && meta.note === undefined ? [`No rows: there are none of ${asked}.`] : metaNotes(meta),
        date: day,
        price,
        supply_btc: coinsOf(supply),
        percent_below_price: below === null ? null : round(below, 4),
        cost_percentiles: percentiles.map((percent) => ({ percent, cost_usd: costAtPercentile(data, percent) })),
        merging:
          binsPerBand === 1 ? null : `${binsPerBand} price bins in a row are one band; 200 bins are a factor of ten`,
        columns: ['cost_from_usd', 'cost_below_usd', 'supply_btc', 'percent_of_supply'],
        rows: bands.map(({ from, to, sats }) => [
          Number(from.toPrecision(7)),
          Number(to.toPrecision(7)),
          coinsOf(sats),
          round((100 * sats) / supply, 4),
        ]),
        generation: meta.generation,
      },
    }

    async function priceOf(of: string): Promise<number | null> {
      const range = new URLSearchParams({ metrics: 'price', start_date: of, end_date: of })
      const { data: found } = await rest.get(`${endpoints.series.path}?${range}`, series, signal)
      const value = found[0]?.price
      return typeof value === 'number' ? value : null
    }
  },
})
