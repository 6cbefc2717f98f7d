export interface Progress {
  say(text: string): void
  /** Blocks and bytes of this run so far. */
  scanned(blocks: number, totalBlocks: number, bytes: number): void
  /** Called when a step begins, such as writing a table, and while the share of it that is done grows. */
  part?(name: string, share?: number): void
}
