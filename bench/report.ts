import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import os from 'node:os'

export interface Figure {
  readonly work: string
  readonly figure: string
  /** Comparison with the best that this machine does in the same run. */
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

/** Seconds of the fastest of several runs, because noise only adds. */
export async function fastest(runs: number, work: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) {
    const begin = performance.now()
    await work()
    best = Math.min(best, (performance.now() - begin) / 1000)
  }
  return best
}

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0)

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(share * (sorted.length - 1))]!

export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )

/** Compares the mean of the last third of the samples with that of the middle third. */
export function growth(samples: readonly number[]): string {
  const third = samples.length / 3
  const mean = (from: number): number => samples.slice(from, from + third).reduce((sum, one) => sum + one, 0) / third
  return `last third ${(100 * (mean(2 * third) / mean(third) - 1)).toFixed(1)} % above the middle one`
}

/** Creates a folder once; `fill` writes it under another name, in case the run is interrupted. */
export async function createOnce(folder: string, fill: (unfinished: string) => void | Promise<void>): Promise<void> {
  if (existsSync(folder)) return
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  await fill(unfinished)
  renameSync(unfinished, folder)
}
