export interface Count {
  readonly hits: number
  /** In ms since 1970. */
  readonly windowEnds: number
}

export interface CountChange {
  readonly policy: string
  readonly caller: string
  /** End of the process's window; another process's window that ends by `latestEnd` replaces it. */
  readonly windowEnds: number
  readonly latestEnd: number
  /** Total of all processes at the last exchange. */
  readonly known: number
  readonly amount: number
}

/** In the order of the changes. */
export interface SharedTotals {
  readonly totals: readonly Count[]
  readonly processes: number
}
