/** A metric under any of its names. */
interface Named {
  readonly id: string
  /** Names of it elsewhere (`Glassnode: market_mvrv`), usual names, and ids that it had before. */
  readonly aliases: readonly string[]
}

/** The ids under which a metric answers: its own, then those of its aliases that have the form of an id. */
export const idsOf = ({ id, aliases }: Named): string[] => [
  id,
  ...aliases.filter((alias) => /^[a-z][a-z0-9_]*$/.test(alias)),
]

/** Every metric by each of its ids. */
export const byEachId = <Metric extends Named>(metrics: readonly Metric[]): Map<string, Metric> =>
  new Map(metrics.flatMap((metric) => idsOf(metric).map((id) => [id, metric] as const)))
