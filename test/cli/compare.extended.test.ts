import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { copyFolder } from '#test/support/core-file.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { updateFolder } from '#test/support/made-folder.ts'
import { placesIn, temporaryFolder } from '#test/support/program.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { compare, operate } from './operators.ts'

const folder = temporaryFolder('compare-more')
afterAll(() => rmSync(folder, { recursive: true }))

test('operators of one chain have the same metrics with the same prices', async () => {
  const grown = await operate(path.join(folder, 'grown'), { days: [60, 80, 100], cores: 1 })
  const same = await operate(path.join(folder, 'same-prices'), { days: [95], cores: 4 })
  const { exitCode, stdout } = await compare(grown, same, '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    common: { days: 95 },
    kinds: ['blocks', 'flows', 'days', 'prices', 'metrics'].map((kind) => ({
      kind,
      equal: 95,
      first_difference: null,
    })),
    signed_by: null,
  })
  expect(exitCode).toBe(0)
})

test('operators of two chains differ from the first day after the fork on, which is named', async () => {
  const { blocks, forked, whole } = placesIn(folder, 'blocks', 'forked', 'whole')
  // Three blocks a day: block 41 is on the fifteenth.
  await writeChain(blocks, makeChain(61, 40), 60)
  await updateFolder(forked, blocks)
  copyFolder((await publishedChain(60)).dataDir, whole)
  const { exitCode, stdout } = await compare(forked, whole)
  const first = '2011-02-16'
  expect(stdout).toMatch(new RegExp(`^blocks:  14 of 20 days equal; first different: ${first}, ours`, 'm'))
  expect(stdout).toMatch(new RegExp(`^To find the cause, .*FROM 'blocks.parquet' WHERE date = '${first}'$`, 'm'))
  expect(exitCode).toBe(1)
})
