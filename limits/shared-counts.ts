export interface Count {
  readonly hits: number
  /** In ms since 1970. */
  readonly windowEnds: number
}

export interface CountChange {
  readonly policy: string
  readonly caller: string
  /**
   * End of the process's own window. A window that another process started replaces it, if it ends
   * by `latestEnd`.
   */
  readonly windowEnds: number
  readonly latestEnd: number
  /** Total of all processes when it last shared. */
  readonly known: number
  readonly amount: number
}

/** Totals of all processes, in the order of the changes. */
export interface SharedTotals {
  readonly totals: readonly Count[]
  readonly processes: number
}

export interface SharedCounts {
  readonly maxChanges: number
  /** Rejects if it cannot be reached; then nothing was shared. */
  share(counts: readonly CountChange[]): Promise<SharedTotals>
  close(): Promise<void>
}
