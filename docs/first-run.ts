import { withTable } from './readme-table.ts'

/** What the times of README's table are computed from; its text states each of them. */
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

const header = `| disk | reads in order | ${cores.map((count) => `${count} cores`).join(' | ')} |\n|---|---|---|---|---|\n`

/** Files are scanned while the next ones are read, so that the slower of the two decides. */
const secondsOf = (megabytesPerSecond: number, coreCount: number): number =>
  Math.max((1_000 * gigabytes) / megabytesPerSecond, (cpuSecondsPerGigabyte * gigabytes) / coreCount)

function describe(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** README with its table of the first run in place of the one that stands in it. */
export const withFirstRun = (readme: string): string =>
  withTable(
    readme,
    header,
    disks.map(([disk, rate]) => {
      const times = cores.map((count) => describe(secondsOf(rate, count)))
      return `| ${disk} | ${rate.toLocaleString('en')} MB/s | ${times.join(' | ')} |`
    }),
  )
