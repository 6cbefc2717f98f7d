import { cpuSecondsPerGigabyte } from '#compute/scan/preflight.ts'
import { withTable } from './generated-table.ts'

/** Assumptions behind the times in README's table, as README and docs/benchmarks.md state them. */
const chainGigabytes = 800
const cores = [2, 4, 8] as const

/** Sequential reads in MB/s. */
const disks = [
  ['hard disk', 160],
  ['SATA SSD', 500],
  ['NVMe SSD', 3_000],
] as const

/**
 * Measured by `npm run bench -- nightly` in its first computation, which needs more than the scan.
 */
const memory = '1.9 GB'
/** Required by `coinstrata doctor`. */
const space = '12 GB'

const columns = [
  "the node's disk",
  'reads in order',
  ...cores.map((count) => `${count} cores`),
  'memory',
  'space for Coinstrata',
]
const header = `| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`

/** Reading and scanning overlap, so the slower of the two determines the time. */
const estimateSeconds = (megabytesPerSecond: number, coreCount: number): number =>
  Math.max((1_000 * chainGigabytes) / megabytesPerSecond, (cpuSecondsPerGigabyte * chainGigabytes) / coreCount)

function formatDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Updates README's table of the first run. */
export const withFirstRun = (readme: string): string =>
  withTable(
    readme,
    header,
    disks.map(([disk, rate]) => {
      const times = cores.map((count) => formatDuration(estimateSeconds(rate, count)))
      return `| ${disk} | ${rate.toLocaleString('en')} MB/s | ${times.join(' | ')} | ${memory} | ${space} |`
    }),
  )
