import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withFirstRun } from '#root/docs/first-run.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

test('README tells the times of a first run as `npm run docs:text` computes them now', () => {
  expect(withFirstRun(readme) === readme, 'run "npm run docs:text"').toBe(true)
})

test('they follow from the figures that README states', () => {
  // 800 GB at 160 MB/s are 5,000 s, at 500 MB/s 1,600 s, at 3,000 MB/s 267 s; 800 × 1 CPU-second on two cores 400 s.
  expect(readme).toContain('800 GB')
  expect(readme).toContain('1 CPU-second a GB')
  expect(readme).toContain('| hard disk | 160 MB/s | 1 h 23 min | 1 h 23 min | 1 h 23 min |')
  expect(readme).toContain('| SATA SSD | 500 MB/s | 27 min | 27 min | 27 min |')
  expect(readme).toContain('| NVMe SSD | 3,000 MB/s | 7 min | 4 min | 4 min |')
})
