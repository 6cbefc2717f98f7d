interface Named {
  readonly id: string
  readonly name: string
  /** Names in other services (`Glassnode: market_mvrv`), common names, and other ids. */
  readonly aliases: readonly string[]
}

/** Its own id, then aliases in the form of ids. */
export const answeringIds = ({ id, aliases }: Omit<Named, 'name'>): string[] => [
  id,
  ...aliases.filter((alias) => /^[a-z][a-z0-9_]*$/.test(alias)),
]

export const indexByIds = <Metric extends Omit<Named, 'name'>>(metrics: readonly Metric[]): Map<string, Metric> =>
  new Map(metrics.flatMap((metric) => answeringIds(metric).map((id) => [id, metric] as const)))
/** `suggest` returns the id that was probably meant. */
export interface KnownIds {
  readonly has: (id: string) => boolean
  readonly suggest?: (id: string) => string | undefined
}

export class MetricNames<Metric extends Named> {
  readonly #metrics: readonly Metric[]
  readonly #byId: ReadonlyMap<string, Metric>
  #byName: ReadonlyMap<string, ReadonlySet<Metric>> | undefined

  constructor(metrics: readonly Metric[]) {
    this.#metrics = metrics
    this.#byId = new Map(metrics.map((metric) => [metric.id, metric]))
  }

  /**
   * By id, or a name or alias that no other metric has, regardless of case, spaces and punctuation.
   */
  find(name: string): Metric | undefined {
    const metric = this.#byId.get(name)
    if (metric) return metric
    const [only, other] = this.namesakes(name)
    return other ? undefined : only
  }

  /** Metrics with a name; one that has it as its id comes alone. */
  namesakes(name: string): readonly Metric[] {
    this.#byName ??= this.#indexNames()
    const all = [...(this.#byName.get(nameKey(name)) ?? [])]
    const own = all.filter(({ id }) => nameKey(id) === nameKey(name))
    return own.length > 0 ? own : all
  }

  #indexNames(): Map<string, Set<Metric>> {
    const byName = new Map<string, Set<Metric>>()
    for (const metric of this.#metrics) {
      const { id, name, aliases } = metric
      const texts = [id, name, ...aliases, ...aliases.map((alias) => alias.replace(/^[^:]*: /, ''))]
      for (const key of new Set(texts.map(nameKey))) byName.set(key, (byName.get(key) ?? new Set()).add(metric))
    }
    return byName
  }
}

const nameKey = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Ending of a fund, entity or exchange in metric ids: `brk_b` for `BRK.B`. */
export const memberIdSuffix = (key: string | number): string =>
  String(key)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '_')
