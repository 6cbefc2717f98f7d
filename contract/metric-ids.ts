/** A metric under any of its names. */
interface Named {
  readonly id: string
  /** Names of it elsewhere (`Glassnode: market_mvrv`), usual names, and ids that it had before. */
  readonly aliases: readonly string[]
}

/** The ids under which a metric answers: its own, then those of its aliases that have the form of an id. */
export const answeringIds = ({ id, aliases }: Named): string[] => [
  id,
  ...aliases.filter((alias) => /^[a-z][a-z0-9_]*$/.test(alias)),
]

/** Every metric by each of its ids. */
export const indexByIds = <Metric extends Named>(metrics: readonly Metric[]): Map<string, Metric> =>
  new Map(metrics.flatMap((metric) => answeringIds(metric).map((id) => [id, metric] as const)))
/** A fund, entity or exchange as it stands at the end of the ids of its metrics: `BRK.B` is `brk_b`. */
export const memberIdSuffix = (key: string | number): string =>
  String(key)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '_')
