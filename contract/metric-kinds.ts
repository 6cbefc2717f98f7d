/**
 * What a daily value says: a level holds at the end of the day (price, supply), a flow happened during it and adds up over
 * days (fees, coins issued), a rate happened too but does not add up (a mean fee, SOPR).
 */
export const metricKinds = ['level', 'flow', 'rate'] as const
export type MetricKind = (typeof metricKinds)[number]

/** How the values of several days become one. */
export const aggregates = ['last', 'sum', 'mean', 'min', 'max', 'first'] as const
export type Aggregate = (typeof aggregates)[number]

/** How the values of a metric become one unless somebody says otherwise. */
export const defaultAggregates: Readonly<Record<MetricKind, Aggregate>> = { level: 'last', flow: 'sum', rate: 'mean' }
