/** Hears how far long work has come. */
export interface Progress {
  /** A step has begun or something is worth knowing. */
  say(text: string): void
  /** Blocks and bytes of this run so far, of so many blocks. */
  scanned(blocks: number, totalBlocks: number, bytes: number): void
  /** A part of the work begins, such as one table. */
  part?(name: string): void
}
