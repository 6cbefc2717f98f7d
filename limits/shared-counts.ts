/** What was counted in a window that ends then (milliseconds since 1970). */
export interface Count {
  readonly hits: number
  readonly windowEnds: number
}

/** What a process counted and has not told the others yet. */
export interface CountChange {
  readonly policy: string
  readonly caller: string
  /** When the window ends that it knows of; the one that others began holds, unless that ends after `latestEnd`. */
  readonly windowEnds: number
  readonly latestEnd: number
  /** What all had counted when it last heard of them. */
  readonly known: number
  readonly amount: number
}

/** What all have counted, in the order of what was told, and how many processes tell each other. */
export interface SharedTotals {
  readonly totals: readonly Count[]
  readonly processes: number
}

/** Where the processes that serve the same callers on several machines tell each other what they counted. */
export interface SharedCounts {
  /** Most counts at a time. */
  readonly maxChanges: number
  /** Rejects where it cannot be reached; nothing is then told. */
  share(counts: readonly CountChange[]): Promise<SharedTotals>
  close(): Promise<void>
}
