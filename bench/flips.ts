import { rmSync } from 'node:fs'
import path from 'node:path'
import { makeFlipFolder, outcomes, runFlips, runServedFlips } from '#test/support/flips.ts'
import { print } from './report.ts'

/** 400 flips and 24 updates; prints outcomes by kind of file. */
export async function benchFlips(folder: string): Promise<void> {
  const target = path.join(folder, 'flips')
  rmSync(target, { recursive: true, force: true })
  const intact = await makeFlipFolder(target)
  const flips = await runFlips(intact, { seed: 1, checks: 400, updates: 24, isWhole: true })
  flips.push(...(await runServedFlips(intact, 12)))
  console.log(`\nflips: ${flips.length} single bits`)
  for (const [kind, own] of Map.groupBy(flips, (flip) => flip.kind)) {
    print(
      kind,
      outcomes.map((outcome) => `${own.filter((flip) => flip.outcome === outcome).length} ${outcome}`).join(', '),
    )
  }
  const failed = flips.filter(({ outcome }) => outcome === 'wrong')
  for (const { kind, file, bit, detail } of failed) console.log(`${kind}: ${file}, bit ${bit}: ${detail}`)
  rmSync(target, { recursive: true })
  if (failed.length > 0) throw new Error(`${failed.length} of ${flips.length} flips were neither refused nor harmless`)
}
