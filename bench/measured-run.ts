import { execFileSync } from 'node:child_process'
import { z } from 'zod'
import type { Pricing } from '#contract/pricing.ts'
import { print } from './report.ts'

const runSchema = z.object({
  parts: z.array(
    z.object({ name: z.string(), seconds: z.number(), cpuSeconds: z.number(), peakMegabytes: z.number() }),
  ),
  rows: z.int(),
})
export type Run = z.infer<typeof runSchema>

export function runUpdate(
  command: 'compute' | 'update',
  dataDir: string,
  blocksFolder: string,
  pricing: Pricing = 'hourly',
): Run {
  const program = new URL('./run-update.ts', import.meta.url).pathname
  const output = execFileSync(process.execPath, [program, command, dataDir, blocksFolder, pricing], {
    encoding: 'utf8',
  })
  return runSchema.parse(JSON.parse(output))
}

export function total({ parts }: Run): Run['parts'][number] {
  const sum = (of: (part: Run['parts'][number]) => number): number => parts.reduce((all, part) => all + of(part), 0)
  return {
    name: 'all',
    seconds: sum(({ seconds }) => seconds),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    peakMegabytes: Math.max(...parts.map(({ peakMegabytes }) => peakMegabytes)),
  }
}

export function printParts({ parts }: Run): void {
  for (const part of parts.filter(({ cpuSeconds }) => cpuSeconds >= 0.1)) {
    print({ work: `  ${part.name}`, figure: formatRun(part) })
  }
}

const formatRun = ({ seconds, cpuSeconds }: Run['parts'][number]): string =>
  `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU)`

export function printRun(work: string, of: Run, aim: string, growth?: number): void {
  const all = total(of)
  const times = growth === undefined ? '' : `, ${growth.toFixed(2)} × the time`
  print({
    work,
    figure: formatRun(all),
    beside: `${(all.peakMegabytes / 1000).toFixed(2)} GB peak memory${times}`,
    aim,
  })
}
