import { z } from 'zod'
import { publishSegments, update } from '#compute/update.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { type Pricing, pricings } from '#contract/pricing.ts'
import { spreadHalvings } from './mainnet-shape.ts'
import { cpuSeconds, peakMegabytes, print, runChild } from './report.ts'

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
  return runSchema.parse(runChild(import.meta.filename, command, dataDir, blocksFolder, pricing))
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
    print(`  ${part.name}`, formatRun(part))
  }
}

const formatRun = ({ seconds, cpuSeconds }: Run['parts'][number]): string =>
  `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s CPU)`

export function printRun(work: string, of: Run, aim: string, growth?: number): void {
  const all = total(of)
  const times = growth === undefined ? '' : `, ${growth.toFixed(2)} × the time`
  print(work, formatRun(all), { beside: `${(all.peakMegabytes / 1000).toFixed(2)} GB peak memory${times}`, aim })
}

/** Runs an update, or with `compute` only what follows the scan, and measures its parts. */
async function measureUpdate(command = '', dataDir = '', blocksdir = '', kind = ''): Promise<Run> {
  const pricing = pricings.find((known) => known === kind) ?? 'hourly'
  spreadHalvings()
  const settings: UpdateSettings = {
    ...{ dataDir, blocksdir, datadir: undefined, network: 'regtest', source: 'files', defaultDatadir: '/nonexistent' },
    ...{ rpcUrl: undefined, rpcUser: undefined, rpcPassword: undefined, simulatedSeed: 1, pricing, memory: '1GB' },
  }
  const parts: Run['parts'] = []
  // The first part includes the start of the process.
  let name = 'start'
  let begin = 0
  let cpu = { user: 0, system: 0 }
  const part = (next: string): void => {
    const seconds = (performance.now() - begin) / 1000
    parts.push({ name, seconds, cpuSeconds: cpuSeconds(cpu), peakMegabytes: peakMegabytes() })
    name = next
    begin = performance.now()
    cpu = process.cpuUsage()
  }
  part('lock')
  const progress = { say: () => {}, scanned: () => {}, part }
  const run = command === 'update' ? update : publishSegments
  const { generation } = await run(settings, progress)
  part('end')
  return { parts, rows: generation?.tables.flows?.rows ?? 0 }
}

if (import.meta.main) console.log(JSON.stringify(await measureUpdate(...process.argv.slice(2))))
