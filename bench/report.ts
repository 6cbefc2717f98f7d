import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import os from 'node:os'
import { z } from 'zod'

interface Comparison {
  /** This machine's best in the same run. */
  readonly beside?: string | undefined
  readonly aim?: string | undefined
}

export const gigabytesPerSecond = (bytes: number, seconds: number): string =>
  `${(bytes / seconds / 1e9).toFixed(2)} GB/s`

export function describeMachine(): string {
  const [cpu] = os.cpus()
  return `${os.availableParallelism()} × ${cpu?.model}, ${(os.totalmem() / 1e9).toFixed(0)} GB, Node ${process.version}, ${os.type()} ${os.release()}`
}

export function print(work: string, figure: string, { beside = '', aim }: Comparison = {}): void {
  const parts = [work.padEnd(44), figure.padEnd(34), beside, aim ? `(aim: ${aim})` : '']
  console.log(parts.filter(Boolean).join('  '))
}

/** Seconds, of the process or since an earlier `process.cpuUsage()`. */
export function cpuSeconds(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}

export const peakMegabytes = (): number => (1024 * process.resourceUsage().maxRSS) / 1e6

export const formatPeak = (peak = peakMegabytes()): string => `${(peak / 1000).toFixed(2)} GB peak memory`

interface Times {
  readonly seconds: number
  readonly cpuSeconds: number
}

export const formatTimes = ({ seconds, cpuSeconds }: Times): string =>
  `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU)`

/** By a child process. */
export const measurementSchema = z.object({ seconds: z.number(), cpuSeconds: z.number(), peakMegabytes: z.number() })

export interface Measured<Result> extends Times {
  readonly result: Result
}

export async function measure<Result>(work: () => Promise<Result>): Promise<Measured<Result>> {
  const [begin, before] = [performance.now(), process.cpuUsage()]
  const result = await work()
  return { result, seconds: (performance.now() - begin) / 1000, cpuSeconds: cpuSeconds(before) }
}

/** Runs a script in its own process and parses the JSON it prints. */
export const runChild = (script: string, ...inputs: readonly string[]): unknown =>
  JSON.parse(execFileSync(process.execPath, [script, ...inputs], { encoding: 'utf8' }))

/** Seconds of the fastest run, because noise only adds. */
export async function fastest(runs: number, work: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run++) best = Math.min(best, (await measure(work)).seconds)
  return best
}

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0)

/** Creates a folder once; `fill` writes it under another name, in case of interruption. */
export async function createOnce(folder: string, fill: (unfinished: string) => void | Promise<void>): Promise<void> {
  if (existsSync(folder)) return
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  await fill(unfinished)
  renameSync(unfinished, folder)
}
