import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { formatVersion } from '#compute/scan/segments.ts'
import { pricings } from '#contract/pricing.ts'
import { mainnetShape, makeHeaderFiles } from './header-files.ts'
import { makeDataFolder } from './mainnet-shape.ts'
import { printParts, type Run, runUpdate, total } from './measured-run.ts'
import { print } from './report.ts'

const rounds = 2
const maxRatio = '1.25 ×'

/**
 * The first computation at mainnet's size with both pricings, each the best of alternating runs.
 */
export async function benchCohorts(folder: string): Promise<void> {
  const blocksFolder = path.join(folder, 'header-files')
  const template = path.join(folder, `nightly-data-${formatVersion}`)
  const dataDir = path.join(folder, 'cohorts-run')
  console.log("making segments of mainnet's shape, unless they are there (some minutes)")
  await makeHeaderFiles(blocksFolder, mainnetShape)
  await makeDataFolder(template, blocksFolder, mainnetShape)
  const best = new Map<string, Run>()
  for (let round = 0; round < rounds; round++) {
    for (const pricing of pricings) {
      rmSync(dataDir, { recursive: true, force: true })
      cpSync(template, dataDir, { recursive: true })
      const run = runUpdate('compute', dataDir, blocksFolder, pricing)
      const previous = best.get(pricing)
      if (!previous || total(run).cpuSeconds < total(previous).cpuSeconds) best.set(pricing, run)
    }
  }
  rmSync(dataDir, { recursive: true })
  const [hourly, daily] = pricings.map((pricing) => best.get(pricing))
  if (!hourly || !daily) throw new Error('a pricing was not run')
  console.log(`\ncohorts: first computation of all tables, ${hourly.rows} flow rows`)
  const [byHour, byDay] = [total(hourly), total(daily)]
  const figure = ({ cpuSeconds, peakMegabytes }: typeof byHour): string =>
    `${cpuSeconds.toFixed(1)} s CPU, ${(peakMegabytes / 1000).toFixed(2)} GB`
  print('valued by the closes of days', figure(byDay))
  const times = (byHour.cpuSeconds / byDay.cpuSeconds).toFixed(2)
  const memory = (byHour.peakMegabytes / byDay.peakMegabytes).toFixed(2)
  const beside = `${times} × the time, ${memory} × the memory`
  print('valued by the hour', figure(byHour), { beside, aim: maxRatio })
  printParts(hourly)
}
