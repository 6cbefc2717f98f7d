import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { makeFlipFolder, runFlips } from '#test/support/flips.ts'
import { temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('flips')
afterAll(() => rmSync(folder, { recursive: true }))

// "npm run bench -- flips" flips 400 bits, of more kinds of files.
test('a flipped bit of a stored file is refused with file and cure, or changes nothing', async () => {
  const intact = await makeFlipFolder(folder, 60)
  const flips = await runFlips(intact, { seed: 1, checks: 24, updates: 3 })
  expect(flips.filter(({ outcome }) => outcome === 'wrong')).toEqual([])
  expect(flips.filter(({ outcome }) => outcome === 'refused').length).toBeGreaterThan(12)
  expect(flips.some(({ kind }) => kind.endsWith('update --force'))).toBe(true)
})
