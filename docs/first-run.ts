import { withTable } from './generated-table.ts'

/** What the times of README's table are computed from; README and docs/benchmarks.md state each of them. */
const gigabytes = 800
/** Of `npm run bench -- scan`, in its steady state. */
const cpuSecondsPerGigabyte = 1
const cores = [2, 4, 8] as const

/** Sequential reading in megabytes a second. */
const disks = [
  ['hard disk', 160],
  ['SATA SSD', 500],
  ['NVMe SSD', 3_000],
] as const

/** Of `npm run bench -- nightly`, in its first computation, which takes more than the scan. */
const memory = '1.4 GB'
/** What `coinstrata doctor` asks for. */
const space = '5 GB'

const columns = [
  "the node's disk",
  'reads in order',
  ...cores.map((count) => `${count} cores`),
  'memory',
  'space for Coinstrata',
]
const header = `| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`

/** Files are scanned while the next ones are read, so that the slower of the two decides. */
const estimateSeconds = (megabytesPerSecond: number, coreCount: number): number =>
  Math.max((1_000 * gigabytes) / megabytesPerSecond, (cpuSecondsPerGigabyte * gigabytes) / coreCount)

function formatDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** README with its table of the first run in place of the one that stands in it. */
export const withFirstRun = (readme: string): string =>
  withTable(
    readme,
    header,
    disks.map(([disk, rate]) => {
      const times = cores.map((count) => formatDuration(estimateSeconds(rate, count)))
      return `| ${disk} | ${rate.toLocaleString('en')} MB/s | ${times.join(' | ')} | ${memory} | ${space} |`
    }),
  )
