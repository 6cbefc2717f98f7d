/**
 * A level holds at the end of the day (price, supply); a flow happened during it and adds up over
 * days (fees, coins issued); a rate does not add up (a mean fee, SOPR).
 */
export const metricKinds = ['level', 'flow', 'rate'] as const
export type MetricKind = (typeof metricKinds)[number]

/** Turn several days into one value. */
export const aggregates = ['last', 'sum', 'mean', 'min', 'max', 'first'] as const
export type Aggregate = (typeof aggregates)[number]

/**
 * Aggregates of metrics: `formula` evaluates the metric's formula over its inputs of the period; `counts`
 * computes it from the blocks of each pool in the period. For these two, values of a period are
 * those of its days so far (`sql/formula/periods.ts`).
 */
export const metricAggregates = [...aggregates, 'formula', 'counts'] as const
export type MetricAggregate = (typeof metricAggregates)[number]
export const isRecomputed = (aggregate: MetricAggregate | undefined): boolean =>
  aggregate === 'formula' || aggregate === 'counts'

export const defaultAggregates: Readonly<Record<MetricKind, Aggregate>> = { level: 'last', flow: 'sum', rate: 'mean' }

/** Prices share an axis. */
export const priceDimension = 'USD per coin'

/** Category of the operator's metrics. */
export const ownCategory = 'own'
