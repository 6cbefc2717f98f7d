import { z } from 'zod'
import { publishSegments, update } from '#compute/update.ts'
import { spreadHalvings, updateSettings } from './mainnet-shape.ts'
import { cpuSeconds, formatPeak, formatTimes, measurementSchema, peakMegabytes, print, runChild } from './report.ts'

const runSchema = z.object({ parts: z.array(measurementSchema.extend({ name: z.string() })), rows: z.int() })
export type Run = z.infer<typeof runSchema>

export const runUpdate = (command: 'compute' | 'update', dataDir: string, blocksFolder: string): Run =>
  runSchema.parse(runChild(import.meta.filename, command, dataDir, blocksFolder))

export const total = ({ parts }: Run) => ({
  seconds: parts.reduce((sum, part) => sum + part.seconds, 0),
  cpuSeconds: parts.reduce((sum, part) => sum + part.cpuSeconds, 0),
  peakMegabytes: Math.max(...parts.map((part) => part.peakMegabytes)),
})

export function printParts({ parts }: Run): void {
  for (const part of parts.filter(({ cpuSeconds }) => cpuSeconds >= 0.1)) {
    print(`  ${part.name}`, formatTimes(part))
  }
}

export function printRun(work: string, of: Run, aim: string, growth?: number): void {
  const all = total(of)
  const times = growth === undefined ? '' : `, ${growth.toFixed(2)} × the time`
  print(work, formatTimes(all), { beside: `${formatPeak(all.peakMegabytes)}${times}`, aim })
}

/** Measures the parts of an update, with `compute` only those after the scan. */
async function measureUpdate(command = '', dataDir = '', blocksdir = ''): Promise<Run> {
  spreadHalvings()
  const parts: Run['parts'] = []
  // The first part includes process start.
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
  const { generation } = await run(updateSettings({ dataDir, source: 'files', blocksdir }), progress)
  part('end')
  return { parts, rows: generation?.tables.flows?.rows ?? 0 }
}

if (import.meta.main) console.log(JSON.stringify(await measureUpdate(...process.argv.slice(2))))
