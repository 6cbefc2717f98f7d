/** Table, column and cohort that hold the values of a metric. */
interface Place {
  readonly table_name: string
  readonly column_name: string
  readonly cohort: string | null
}

/**
 * Metrics of one table and cohort each, with every twelfth cohort alone and whichever else has a
 * measure that fewer than two before it have: the others differ only in the rows they read.
 */
export function withFewCohorts<Metric extends Place>(metrics: readonly Metric[]): Metric[][] {
  const groups = [...Map.groupBy(metrics, ({ table_name, cohort }) => `${table_name} ${cohort}`).values()]
  const times = new Map<string, number>()
  const timesOf = ({ table_name, column_name }: Place): number => times.get(`${table_name} ${column_name}`) ?? 0
  return groups.filter((group, i) => {
    const isKept = group[0]!.cohort === null || i % 12 === 0 || group.some((metric) => timesOf(metric) < 2)
    if (isKept) for (const metric of group) times.set(`${metric.table_name} ${metric.column_name}`, timesOf(metric) + 1)
    return isKept
  })
}
