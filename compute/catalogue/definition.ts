import { hash } from 'node:crypto'
import type { EndpointId } from '#contract/endpoints.ts'
import { defaultAggregates, type MetricAggregate, type MetricKind, ownCategory } from '#contract/metric-kinds.ts'
import type { Category } from '#contract/tables/metrics.ts'
import type { Unit } from '#contract/units.ts'
import { inferAggregate } from '#sql/formula/aggregate.ts'
import { defaultDimension, dimensionUnit, inferDimension } from '#sql/formula/dimension.ts'
import { functionsVersion } from '#sql/formula/functions.ts'
import { inferKind } from '#sql/formula/kind.ts'
import type { Formula } from '#sql/formula/parse.ts'
import { aliases } from './aliases.ts'
import type { Origin, OriginColumn } from './origin.ts'

/** 0: everyone, 1: professional, 2: enterprise. */
export type Grade = 0 | 1 | 2

/** A metric as defined by its author: computed by a formula, or measured. */
export type MetricRow = MeasuredRow | (Described & Computed)
export type MeasuredRow = Described & Measured

interface Computed {
  /** Over metric ids, in the language of sql/formula. */
  readonly formula: string
  readonly from?: never
  /** Default: the kind of the formula. */
  readonly kind?: MetricKind
}

export interface Measured extends Pick<Described, 'field' | 'endpoint' | 'grade'> {
  readonly formula?: never
  readonly from: Origin
  readonly kind: MetricKind
}

export const days = (column: OriginColumn<'days'>, kind: MetricKind): Measured => ({
  from: { table: 'days', column },
  kind,
})

export const ages = (column: OriginColumn<'coin_ages'>): Measured => ({
  from: { table: 'coin_ages', column },
  kind: 'level',
})

/** A column with the same name in the rows of its endpoint. */
export const sameField = (
  from: Origin,
  kind: MetricKind,
  serving: Pick<Measured, 'endpoint' | 'grade'> = {},
): Measured => ({
  from,
  field: from.column,
  kind,
  ...serving,
})

/** Returns a builder of metrics of one unit; `values` is a formula, or the column. */
export const inUnit =
  (unit: Unit, scale: 'linear' | 'log' = 'linear') =>
  (id: string, name: string, values: string | Measured, row: Description): MetricRow => ({
    id,
    name,
    unit,
    scale,
    ...(typeof values === 'string' ? { formula: values } : values),
    ...row,
  })

export const btc = inUnit('BTC')
export const logBtc = inUnit('BTC', 'log')
export const usd = inUnit('USD')
/** A sum of the day that has hours, too. */
export const usdFlow: typeof usd = (id, name, values, row) =>
  usd(id, name, values, {
    variant: 'Hours have their own closes: they do not add up to the day.',
    ...row,
  })
export const logUsd = inUnit('USD', 'log')
export const ratio = inUnit('ratio')
export const logRatio = inUnit('ratio', 'log')
export const percent = inUnit('percent')
export const count = inUnit('count')
export const inDays = inUnit('days')

export type Description = Omit<Described, 'id' | 'name' | 'unit' | 'scale'> & Pick<Computed, 'kind'>

interface Described {
  readonly id: string
  readonly name: string
  readonly unit: Unit
  /** Default: that of the formula, if it has this unit; otherwise the unit, `per day` for flows. */
  readonly dimension?: string
  /** One or two sentences; the first is the short description. */
  readonly description: string
  /** Names the definition if others differ. */
  readonly variant?: string
  readonly source?: string
  /**
   * Whether all values are whole numbers. Default: true for measured metrics in sats, count, bytes
   * or weight units.
   */
  readonly whole?: boolean
  /** Default: that of its formula (`sql/formula/aggregate.ts`), if it has the kind of its formula, or of its kind. */
  readonly aggregate?: MetricAggregate
  /** Default: `bar` for flows, else `line`. */
  readonly style?: 'line' | 'area' | 'bar'
  /** Default: `linear`. */
  readonly scale?: 'linear' | 'log'
  /** In addition to aliases.ts. */
  readonly aliases?: readonly string[]
  /** Related metrics, listed before those in the formula. */
  readonly related?: readonly string[]
  readonly grade?: Grade
  /** Default: that of its category. */
  readonly endpoint?: EndpointId | `${EndpointId}?${string}`
  /** Name in the endpoint's rows. Default: the id. */
  readonly field?: string
}

type With<T, Names extends keyof T> = T & Required<Pick<T, Names>>

/** A metric with the defaults of its category. */
export interface CategoryMetric
  extends With<Described, 'whole' | 'aliases' | 'grade' | 'scale' | 'related' | 'endpoint' | 'field'> {
  readonly formula?: string
  readonly from?: Origin
  readonly kind?: MetricKind
  readonly category: Category | typeof ownCategory
  /** Table and column with its values; `cohort` selects rows of `cohorts`. */
  readonly table: string
  readonly column: string
  readonly cohort?: string
}

/** A metric with the defaults of its category and its formula. */
export interface MetricDefinition extends With<CategoryMetric, 'kind' | 'dimension' | 'aggregate' | 'style'> {
  /**
   * Changes with the formula of the metric or of one that it uses, with results of formula
   * functions, and with what is measured.
   */
  readonly definitionVersion: string
}

const serving: Readonly<Record<Category, { readonly endpoint: EndpointId; readonly grade: Grade }>> = {
  market: { endpoint: 'prices', grade: 0 },
  supply: { endpoint: 'holder/supply', grade: 0 },
  valuation: { endpoint: 'holder/valuation', grade: 0 },
  profit_and_loss: { endpoint: 'holder/profit', grade: 1 },
  coin_days: { endpoint: 'coindays', grade: 0 },
  blockchain: { endpoint: 'blockchain', grade: 0 },
  addresses: { endpoint: 'addresses', grade: 0 },
  distribution: { endpoint: 'series', grade: 2 },
  cycles: { endpoint: 'cycle-performance', grade: 0 },
  derivatives: { endpoint: 'futures/oi', grade: 0 },
  etfs: { endpoint: 'etf/aggregate', grade: 0 },
  treasuries: { endpoint: 'dat/aggregate', grade: 0 },
}

export const metricTableName = (category: Category): `metrics_${Category}` => `metrics_${category}`

export function defineMetrics(category: Category, rows: readonly MetricRow[]): CategoryMetric[] {
  return rows.map((row) => ({
    scale: 'linear',
    field: row.id,
    related: [],
    ...serving[category],
    table: metricTableName(category),
    column: row.id,
    category,
    whole: isWhole(row),
    ...row,
    aliases: [...(aliases[row.id] ?? []), ...(row.aliases ?? [])],
  }))
}

/**
 * Revisions by `table.column`, from 2 on: raise one when other values are measured under the same
 * name.
 */
const revisions: Readonly<Record<string, number>> = {}

export const revision = (table: string, column: string): number => revisions[`${table}.${column}`] ?? 1

export const definitionVersion = (...parts: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(parts)).slice(0, 12)

/** Units of amounts that add up; other daily values are rates. */
const addingUnits: ReadonlySet<Unit> = new Set([
  ...(['BTC', 'sats', 'USD', 'count', 'bytes', 'weight units', 'hashes'] as const),
  ...(['coin-days', 'USD-days', 'sat-seconds', 'output-seconds'] as const),
])

/** Adds kinds and dimensions by formula. Formulas must follow those that they refer to. */
export function withKinds(
  metrics: readonly CategoryMetric[],
  formulas: Iterable<readonly [id: string, formula: Formula]>,
): MetricDefinition[] {
  const byId = new Map(metrics.map((metric) => [metric.id, metric]))
  const kinds = new Map(metrics.flatMap(({ id, kind }) => (kind ? [[id, kind] as const] : [])))
  const known = (id: string): MetricKind => {
    const kind = kinds.get(id)
    if (!kind) throw new Error(`kind of ${id} is not known`)
    return kind
  }
  const versions = new Map(
    metrics.flatMap(({ id, from, unit, kind, category, description }) => {
      if (!from) return []
      // The range of a cohort of the operator is in its words alone.
      const range = category === ownCategory ? [description] : []
      const { table, column, key = null } = from
      return [[id, definitionVersion(table, column, key, revision(table, column), unit, kind, ...range)] as const]
    }),
  )
  const aggregates = new Map(metrics.flatMap(({ id, aggregate }) => (aggregate ? [[id, aggregate] as const] : [])))
  const aggregateById = (id: string): MetricAggregate => aggregates.get(id) ?? defaultAggregates[known(id)]
  const periodic = (id: string) => ({ kind: known(id), aggregate: aggregateById(id) })
  const dimensions = new Map<string, string>()
  const dimensionById = (id: string): string =>
    dimensions.get(id) ?? byId.get(id)?.dimension ?? defaultDimension(byId.get(id)!.unit, known(id))
  for (const [id, formula] of formulas) {
    const { unit, dimension } = byId.get(id)!
    versions.set(
      id,
      definitionVersion(
        formula.text,
        unit,
        functionsVersion,
        ...[...formula.references.keys()].map((one) => versions.get(one)),
      ),
    )
    const kind = inferKind(formula, known)
    if (!kinds.has(id)) kinds.set(id, kind === 'flow' && !addingUnits.has(unit) ? 'rate' : kind)
    if (kinds.get(id) === kind && !aggregates.has(id)) aggregates.set(id, inferAggregate(formula, periodic))
    const inferred = inferDimension(formula, dimensionById)
    if (dimension === undefined && inferred !== undefined && dimensionUnit(inferred) === unit)
      dimensions.set(id, inferred)
  }
  return metrics.map((metric): MetricDefinition => {
    const kind = known(metric.id)
    const dimension = dimensionById(metric.id)
    const version = versions.get(metric.id)
    if (version === undefined) throw new Error(`${metric.id} is neither measured nor computed`)
    return {
      aggregate: aggregateById(metric.id),
      style: kind === 'flow' ? 'bar' : 'line',
      ...metric,
      kind,
      dimension,
      definitionVersion: version,
    }
  })
}

const wholeUnits: ReadonlySet<Unit> = new Set(['sats', 'count', 'bytes', 'weight units'])

export const isWhole = ({ formula, unit }: { readonly formula?: unknown; readonly unit: Unit }): boolean =>
  formula === undefined && wholeUnits.has(unit)

/** Metrics in so many formulas that they say little about any. */
const everywhere = new Set(['price', 'circulating_supply', 'market_age_days', 'trading_age_days'])
const maxRelated = 8

/** Related metrics: those named by the author, then those in the formula. */
export function relatedMetrics(definition: MetricDefinition, references: Iterable<string>): string[] {
  const mentioned = [...references].filter((id) => !everywhere.has(id))
  return [...new Set([...definition.related, ...mentioned])].filter((id) => id !== definition.id).slice(0, maxRelated)
}

export const shortDescription = (description: string): string => /^.*?\.(?= |$)/.exec(description)?.[0] ?? description
