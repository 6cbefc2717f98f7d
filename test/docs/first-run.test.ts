import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withFirstRun } from '#root/docs/first-run.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

test('README tells the times of a first run as `npm run docs:text` computes them now', () => {
  expect(withFirstRun(readme) === readme, 'run "npm run docs:text"').toBe(true)
})

test('they follow from the figures that README and docs/benchmarks.md state', () => {
  // 800 GB at 160 MB/s are 5,000 s, at 500 MB/s 1,600 s, at 3,000 MB/s 267 s; 800 × 2.5 CPU-seconds
  // on two cores 1,000 s.
  const benchmarks = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8')
  for (const page of [readme, benchmarks]) {
    expect(page).toContain('800 GB')
    expect(page).toMatch(/ 2\.5 CPU-seconds a\sGB/)
  }
  expect(benchmarks).toMatch(
    /\| first computation of all tables at mainnet's size \| [\d to]+ s \([\d to]+ CPU-seconds\), 1\.2 GB of memory \|/,
  )
  expect(readme).toContain('| hard disk | 160 MB/s | 1 h 23 min | 1 h 23 min | 1 h 23 min | 1.9 GB | 12 GB |')
  expect(readme).toContain('| SATA SSD | 500 MB/s | 27 min | 27 min | 27 min | 1.9 GB | 12 GB |')
  expect(readme).toContain('| NVMe SSD | 3,000 MB/s | 17 min | 8 min | 4 min | 1.9 GB | 12 GB |')
})
