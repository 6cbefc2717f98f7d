/**
 * A level holds at the end of the day (price, supply); a flow happened during it and adds up over
 * days (fees, coins issued); a rate does not add up (a mean fee, SOPR).
 */
export const metricKinds = ['level', 'flow', 'rate'] as const
export type MetricKind = (typeof metricKinds)[number]

/** Turn several days into one value. */
export const aggregates = ['last', 'sum', 'mean', 'min', 'max', 'first'] as const
export type Aggregate = (typeof aggregates)[number]

export const defaultAggregates: Readonly<Record<MetricKind, Aggregate>> = { level: 'last', flow: 'sum', rate: 'mean' }

/** Prices share an axis. */
export const priceDimension = 'USD per coin'
