import { isoDate, msPerDay } from '#base/days.ts'
import type { Observation } from './observations.ts'
import type { CloseOn } from './prices.ts'
import { type Entity, entities, treasuryReports } from './reference.ts'
import type { Provenance } from './store.ts'

interface EntityDay {
  /** Unix day. */
  readonly date: number
  readonly entity_id: number
  readonly btc_amount: number
  /** At the day's close; null without one. */
  readonly total_current_value_usd: number | null
  /** Null on the first known day, unless reported. */
  readonly net_flow_btc: number | null
  readonly cumulative_flow_btc: number
  /** Percent of all tracked holdings. */
  readonly market_share_pct: number | null
  /** URL of the report, or source's name; null on other days. */
  readonly source: string | null
}

export type AggregateTreasuries = ReturnType<typeof aggregateTreasuries>[number]

type Report = Observation<'treasuries'> & Provenance

const registrySource = 'registry'

/**
 * Stored reports, plus the registry's (from public filings) before an entity's first stored one:
 * tables would be empty until a source knows the entity.
 */
export function withRegistryReports(stored: readonly Report[]): Report[] {
  const firstStored = new Map<number, number>()
  for (const { entity_id, date } of stored)
    firstStored.set(entity_id, Math.min(date, firstStored.get(entity_id) ?? Number.POSITIVE_INFINITY))
  const known = treasuryReports
    .filter(({ entity_id, date }) => date < (firstStored.get(entity_id) ?? Number.POSITIVE_INFINITY))
    .map((report) => ({ ...report, change_btc: null, source: registrySource, fetchedAt: 0 }))
  return [...known, ...stored]
}

/** Notes which entities only the registry knows. */
export function describeRegistryReports(reports: readonly Report[]): string | undefined {
  const last = new Map<number, Report>()
  for (const report of reports.toSorted((a, b) => a.date - b.date)) last.set(report.entity_id, report)
  const own = [...last.values()].filter(({ source }) => source === registrySource)
  if (own.length === 0) return undefined
  const dated = own
    .sort((a, b) => a.entity_id - b.entity_id)
    .map(({ entity_id, date }) => `${entities.find(({ id }) => id === entity_id)?.name} of ${isoDate(date)}`)
  return `Treasuries without a source are as of public filings, carried forward: ${dated.join(', ')}.`
}

/** Each entity, every day from its first report to `lastDay`; holdings stay as reported. */
export function entityDays(rows: readonly Report[], closeOn: CloseOn, lastDay: number): EntityDay[] {
  const days = entities.flatMap((entity) => {
    const own = rows.filter(({ entity_id, date }) => entity_id === entity.id && date <= lastDay)
    return expandDays(entity, own, closeOn, lastDay)
  })
  const tracked = new Map<number, number>()
  for (const { date, entity_id, btc_amount } of days)
    if (!consolidated.has(entity_id)) tracked.set(date, (tracked.get(date) ?? 0) + btc_amount)
  return days.map((day) => {
    const all = tracked.get(day.date) ?? 0
    return { ...day, market_share_pct: all === 0 ? null : (100 * day.btc_amount) / all }
  })
}

const consolidated = new Set(entities.filter((entity) => entity.consolidated_in !== undefined).map(({ id }) => id))

function expandDays(entity: Entity, reports: readonly Report[], closeOn: CloseOn, lastDay: number) {
  // On equal days the operator's file takes precedence.
  const ordered = reports.toSorted((a, b) => Number(a.source === 'import') - Number(b.source === 'import'))
  const byDay = new Map(ordered.map((report) => [report.date, report]))
  const endsOn = entity.ended_on === undefined ? undefined : Date.parse(entity.ended_on) / msPerDay
  const days: Omit<EntityDay, 'market_share_pct'>[] = []
  const first = Math.min(...byDay.keys())
  for (let date = first; date <= lastDay; date++) {
    const previous = days.at(-1)
    const report = byDay.get(date)
    const ended = endsOn !== undefined && date >= endsOn
    const btc_amount = ended ? 0 : (report?.holdings_btc ?? previous?.btc_amount ?? 0)
    const net_flow_btc = previous ? btc_amount - previous.btc_amount : (report?.change_btc ?? null)
    const close = closeOn(date)
    days.push({
      date,
      entity_id: entity.id,
      btc_amount,
      total_current_value_usd: Number.isNaN(close) ? null : btc_amount * close,
      net_flow_btc,
      cumulative_flow_btc: (previous?.cumulative_flow_btc ?? 0) + (net_flow_btc ?? 0),
      source: report ? (report.source_url ?? report.source) : null,
    })
  }
  return days
}

/**
 * Totals by day and type. Coins that another tracked entity reports as its own count once. Totals
 * without a type are of companies; `cumulative_money_flow` values changes at their day's close.
 */
export function aggregateTreasuries(days: readonly EntityDay[], closeOn: CloseOn) {
  const types = new Map(entities.map(({ id, type }) => [id, type]))
  const byDay = Map.groupBy(
    days.filter(({ entity_id }) => !consolidated.has(entity_id)),
    ({ date }) => date,
  )
  let cumulative_money_flow = 0
  return [...byDay.keys()]
    .sort((a, b) => a - b)
    .map((date) => {
      const all = byDay.get(date)!
      const daysOfTypes = (...wanted: Entity['type'][]): EntityDay[] =>
        all.filter(({ entity_id }) => wanted.some((type) => types.get(entity_id) === type))
      const companies = daysOfTypes('public', 'private')
      const total_btc = amount(companies)
      const net_change_btc = companies.reduce((sum, { net_flow_btc }) => sum + (net_flow_btc ?? 0), 0)
      const close = closeOn(date)
      if (!Number.isNaN(close)) cumulative_money_flow += net_change_btc * close
      return {
        date,
        total_btc,
        total_companies: companies.filter(({ btc_amount }) => btc_amount > 0).length,
        public_company_btc: amount(daysOfTypes('public')),
        private_company_btc: amount(daysOfTypes('private')),
        government_btc: amount(daysOfTypes('government')),
        fund_btc: amount(daysOfTypes('fund')),
        protocol_btc: amount(daysOfTypes('protocol')),
        custodian_btc: amount(daysOfTypes('custodian')),
        net_change_btc,
        total_value_usd: Number.isNaN(close) ? null : total_btc * close,
        cumulative_money_flow,
      }
    })
}

const amount = (days: readonly EntityDay[]): number => days.reduce((sum, { btc_amount }) => sum + btc_amount, 0)
