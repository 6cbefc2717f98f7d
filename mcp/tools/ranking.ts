import { max } from 'd3-array'
import { z } from 'zod'
import { isoDate, parseDay } from '#base/days.ts'
import { ageBands } from '#contract/cohorts.ts'
import type { EndpointId } from '#contract/endpoints.ts'
import { memberIdSuffix } from '#contract/metric-ids.ts'
import { rows } from '#contract/rows.ts'
import { seriesNotes, withNotes } from '../answers/notes.ts'
import { name, parameters } from '../answers/parameters.ts'
import { significant } from '../answers/rows.ts'
import type { Call } from '../client/call.ts'
import type { Metric } from '../client/catalogue.ts'
import type { History } from '../client/history.ts'
import { readEntities, readFunds, readRows } from '../client/read-rows.ts'
import { readHistory } from '../client/read-series.ts'
import { ToolError } from '../client/tool-error.ts'
import { findCohortMetric } from './daily.ts'
import { defineTool } from './tool.ts'

const rankings = {
  exchanges: { endpoints: ['oi/exchange', 'funding/exchange'], defaultMeasure: 'oi_usd' },
  funds: { endpoints: ['etf/ticker'], defaultMeasure: 'btc_holdings' },
  treasuries: { endpoints: ['dat/entity'], defaultMeasure: 'btc_amount' },
  cohorts: { endpoints: [], defaultMeasure: 'supply' },
  pools: { endpoints: [], defaultMeasure: 'share_percent' },
} as const satisfies Record<string, { endpoints: readonly EndpointId[]; defaultMeasure: string }>

const measureAliases: Partial<Record<Ranked, Readonly<Record<string, string>>>> = {
  exchanges: { open_interest: 'oi_usd', funding: 'funding_rate', share: 'oi_share' },
  funds: {
    holdings: 'btc_holdings',
    flows: 'net_flow_btc',
    net_flow: 'net_flow_btc',
    assets: 'aum_usd',
    fee: 'fee_percent',
  },
  treasuries: {
    holdings: 'btc_amount',
    purchases: 'net_flow_btc',
    net_flow: 'net_flow_btc',
    share: 'market_share_pct',
  },
}

type Ranked = keyof typeof rankings
const ranked = Object.keys(rankings) as [Ranked, ...Ranked[]]

const item = z.object({
  id: z.union([z.string(), z.number()]),
  name: z.string().optional(),
  value: z.number(),
  date: z.string().optional().describe('If it is earlier than that of the others'),
  about: z.string().optional(),
})

const rankingAnswer = z.object({
  notes: z.array(z.string()).optional(),
  by: z.string().optional(),
  unit: z.string().optional(),
  from: z.string().optional().describe('First of the days that are added up to date'),
  date: z.string().optional(),
  count: z.number().describe('Number of all that have a value'),
  items: z.array(item),
})

const rankingParameters = parameters({
  of: z.enum(ranked),
  by: name.optional().describe('Measure, such as funding_rate, net_flow_btc, market_share_pct, fee_percent, mvrv'),
  type: name.optional().describe('Treasuries only: public, private, government, fund, protocol'),
  days: z
    .int()
    .min(1)
    .max(366)
    .optional()
    .describe('Number of days over which flows (1 by default) and blocks of pools (7) are added up'),
  order: z.enum(['highest', 'lowest']).default('highest'),
  limit: z.int().min(1).max(100).default(5),
})
type RankingRequest = z.output<typeof rankingParameters>
type Answer = z.infer<typeof rankingAnswer>

export const ranking = defineTool({
  name: 'get_ranking',
  title: 'Rankings',
  description:
    'Exchanges by open interest or funding rate (tier pro), spot ETFs by holdings, flows or fee, treasuries by holdings or purchases, age cohorts by any measure, mining pools by share: newest values, the highest first. Also lists the names of each.',
  input: rankingParameters,
  output: rankingAnswer,
  run: readRanking,
})

async function readRanking(request: RankingRequest, call: Call): Promise<Answer> {
  const { of: kind, days = 1 } = request
  if (kind === 'pools') return rankPools(request, call)
  const by = measureAliases[kind]?.[request.by ?? ''] ?? request.by ?? rankings[kind].defaultMeasure
  if (kind === 'funds' && by === 'fee_percent') return rankByFee(request, call)
  const isInUsd = kind === 'funds' && by === 'net_flow_usd'
  const members = await readMembers(request, isInUsd ? 'net_flow_btc' : by, call)
  const histories = await readNewest(
    members.map(({ metric }) => metric.id),
    days,
    isInUsd,
    call,
  )
  const isFlow = members[0]!.metric.kind === 'flow'
  const known = members.flatMap(({ metric, ...member }) => {
    const history = histories.find(({ columns }) => columns.has(metric.id))
    const found = history && newestValue(history, metric.id, isFlow ? days : 1, isInUsd)
    return found ? [{ ...member, ...found }] : []
  })
  const newest = max(known, ({ date }) => date)
  return {
    ...withNotes([
      ...seriesNotes(histories[0]!.meta, days > histories[0]!.days.length),
      ...(known.length > 0 ? [] : [`No rows: none has a value on the newest ${days + lateDays} days.`]),
    ]),
    by,
    unit: isInUsd ? 'USD' : members[0]!.metric.unit,
    ...(newest !== undefined && isFlow && { from: isoDate(parseDay(newest) - days + 1) }),
    ...(newest !== undefined && { date: newest }),
    count: known.length,
    items: firstByValue(known, request).map(({ date, value, ...one }) => ({
      ...one,
      value: significant(value),
      ...(date !== newest && { date }),
    })),
  }
}

function firstByValue<Item extends { readonly value: number }>(
  items: readonly Item[],
  { order, limit }: RankingRequest,
): Item[] {
  const sign = order === 'highest' ? -1 : 1
  return items.toSorted((one, other) => sign * (one.value - other.value)).slice(0, limit)
}

interface Member {
  readonly id: string | number
  readonly name?: string
  readonly about?: string
  readonly metric: Metric
}

async function readMembers({ of, type }: RankingRequest, by: string, call: Call): Promise<Member[]> {
  const catalogue = await call.catalogue.read(call)
  const served = rankings[of].endpoints.flatMap((endpoint) => catalogue.servedBy(endpoint))
  const metrics = served.filter(({ field, id }) => field === by || id.startsWith(`${by}_`))
  const withMetric = (id: string | number) => metrics.find((metric) => metric.id.endsWith(`_${memberIdSuffix(id)}`))
  const found = await list()
  if (found.length === 0) {
    // Their ids end in the exchange.
    const fields = served.map(({ field, id }) => (of === 'exchanges' ? id.slice(0, id.lastIndexOf('_')) : field))
    throw unknownMeasure(of, by, [...new Set([...fields, ...(of === 'funds' ? ['net_flow_usd', 'fee_percent'] : [])])])
  }
  return found

  async function list(): Promise<Member[]> {
    switch (of) {
      case 'funds':
        return (await readFunds(call)).flatMap(({ ticker: id, name: called, issuer, fee_percent: fee }) => {
          const metric = withMetric(id)
          const about = [issuer, fee === null ? undefined : `fee ${fee} %`].filter(Boolean).join(', ')
          return metric ? [{ id, name: called, about, metric }] : []
        })
      case 'treasuries':
        return (await readEntities(call))
          .filter((entity) => type === undefined || entity.type === type)
          .flatMap(({ id, name: called, ticker, type: about }) => {
            const metric = withMetric(id)
            return metric ? [{ id, name: ticker === null ? called : `${called} (${ticker})`, about, metric }] : []
          })
      case 'exchanges':
        return metrics.map((metric) => ({ id: metric.id.slice(metric.id.lastIndexOf('_') + 1), metric }))
      default: {
        const cohorts = [...ageBands.map(({ id }) => id), 'lth', 'sth']
        return cohorts.flatMap((id) => {
          const metric = findCohortMetric(catalogue, by, id)
          const isHolderGroup = id === 'lth' || id === 'sth'
          return metric ? [{ id, ...(isHolderGroup && { about: 'several age bands together' }), metric }] : []
        })
      }
    }
  }
}

const unknownMeasure = (of: Ranked, by: string, fields: readonly string[]): ToolError =>
  new ToolError(
    `${of} cannot be ranked by '${by}'`,
    `use ${fields.length > 0 ? `one of ${fields.join(', ')}` : 'a measure of get_cohort_metrics, such as supply, mvrv or realized_price'}`,
  )

async function rankByFee(request: RankingRequest, call: Call): Promise<Answer> {
  const known = (await readFunds(call)).flatMap(({ ticker: id, name: called, issuer, fee_percent: value }) =>
    value === null ? [] : [{ id, name: called, ...(issuer !== null && { about: issuer }), value }],
  )
  return { by: 'fee_percent', unit: 'percent a year', count: known.length, items: firstByValue(known, request) }
}

const poolMeasures = {
  share_percent: 'percent',
  blocks: 'count',
  hash_rate: 'H/s',
  fees_sats: 'sats',
  coinbase_sats: 'sats',
} as const
const isPoolMeasure = (name: string): name is keyof typeof poolMeasures => Object.hasOwn(poolMeasures, name)

async function rankPools(request: RankingRequest, call: Call): Promise<Answer> {
  const by = request.by ?? rankings.pools.defaultMeasure
  if (!isPoolMeasure(by)) throw unknownMeasure('pools', by, Object.keys(poolMeasures))
  const read = (start_date?: string) => readRows(call, '/v1/pools', { start_date }, rows.pools)
  const { days } = request
  const newest = await read()
  const date = newest.data[0]?.date
  const isDefault = date === undefined || days === undefined
  const { data: found, meta } = isDefault ? newest : await read(isoDate(parseDay(date) - days + 1))
  const items = found.map((pool) => ({ id: pool.pool, name: pool.name, value: pool[by] }))
  const known = items.flatMap(({ value, ...pool }) => (value === null ? [] : [{ ...pool, value: significant(value) }]))
  return {
    ...withNotes(seriesNotes(meta)),
    by,
    unit: poolMeasures[by],
    ...(date !== undefined && { from: found[0]?.from_date ?? date, date }),
    count: known.length,
    items: firstByValue(known, request),
  }
}

/** `/v1/series` takes 50; one is left for the price. */
const maxIdsPerRequest = 49
/** Extra days, since funds report late. */
const lateDays = 10

async function readNewest(ids: readonly string[], days: number, withPrice: boolean, call: Call) {
  const chunks = Array.from({ length: Math.ceil(ids.length / maxIdsPerRequest) }, (_, i) =>
    ids.slice(i * maxIdsPerRequest, (i + 1) * maxIdsPerRequest),
  )
  return Promise.all(
    chunks.map((chunk) => {
      const metrics = [...chunk, ...(withPrice ? ['price'] : [])].join(',')
      return readHistory(call, '/v1/series', { metrics, limit: days + lateDays }, rows.series)
    }),
  )
}

/** Sum of at most `maxDays` days; in USD at each day's close if requested. */
function newestValue(
  { days, columns }: History,
  id: string,
  maxDays: number,
  isInUsd: boolean,
): { value: number; date: string } | undefined {
  const prices = isInUsd ? columns.get('price') : undefined
  const values = columns.get(id)!.map((value, row) => value * (prices?.[row] ?? 1))
  const last = values.findLastIndex((value) => !Number.isNaN(value))
  if (last < 0) return undefined
  const added = values.subarray(Math.max(0, last - maxDays + 1), last + 1).filter((value) => !Number.isNaN(value))
  return { value: added.reduce((sum, value) => sum + value, 0), date: isoDate(days[last]!) }
}
