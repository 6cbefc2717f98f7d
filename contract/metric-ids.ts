interface Named {
  readonly id: string
  /** Names in other services (`Glassnode: market_mvrv`), common names, and former ids. */
  readonly aliases: readonly string[]
}

/** The metric's own id, then those of its aliases that have the form of an id. */
export const answeringIds = ({ id, aliases }: Named): string[] => [
  id,
  ...aliases.filter((alias) => /^[a-z][a-z0-9_]*$/.test(alias)),
]

export const indexByIds = <Metric extends Named>(metrics: readonly Metric[]): Map<string, Metric> =>
  new Map(metrics.flatMap((metric) => answeringIds(metric).map((id) => [id, metric] as const)))
/** The ending that a fund, entity or exchange has in metric ids: `brk_b` for `BRK.B`. */
export const memberIdSuffix = (key: string | number): string =>
  String(key)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '_')
