import os from 'node:os'

export interface Figure {
  readonly work: string
  readonly figure: string
  /** What the same machine does at best in the same run, and the share of it that was reached. */
  readonly beside?: string
  readonly aim?: string
}

export const gigabytesPerSecond = (bytes: number, seconds: number): string =>
  `${(bytes / seconds / 1e9).toFixed(2)} GB/s`

export const peakMemory = (): string => `${(process.resourceUsage().maxRSS / 1e6).toFixed(2)} GB peak memory`

export function describeMachine(): string {
  const [cpu] = os.cpus()
  return `${os.availableParallelism()} × ${cpu?.model}, ${(os.totalmem() / 1e9).toFixed(0)} GB, Node ${process.version}, ${os.type()} ${os.release()}`
}

export function print({ work, figure, beside, aim }: Figure): void {
  const parts = [work.padEnd(44), figure.padEnd(34), beside ?? '', aim ? `(aim: ${aim})` : '']
  console.log(parts.filter(Boolean).join('  '))
}

/** Seconds that `work` takes: the fastest of several runs, since noise only ever adds. */
export async function fastest(runs: number, work: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const begin = performance.now()
    await work()
    best = Math.min(best, (performance.now() - begin) / 1000)
  }
  return best
}
