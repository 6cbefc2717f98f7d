import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unzipOnlyFile } from '#ingest/market/zip.ts'
import { zipped } from './fake-venues.ts'

const python = () => {
  try {
    execFileSync('python3', ['--version'])
    return true
  } catch {
    return false
  }
}

test('gives back what was packed', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 5_000 }), (text) => unzipOnlyFile(zipped('a.csv', text)).toString() === text),
  )
})

test('damaged content is never given back', () => {
  const text = 'create_time,symbol\n2026-01-01 00:05:00,BTCUSDT\n'.repeat(20)
  const archive = zipped('a.csv', text)
  let noticed = 0
  for (let i = 0; i < archive.length; i++) {
    const damaged = Buffer.from(archive)
    damaged[i]! ^= 0x10
    try {
      // Names, dates and padding may change without harm.
      expect(unzipOnlyFile(damaged).toString()).toBe(text)
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error
      noticed++
    }
  }
  expect(noticed).toBeGreaterThan(60)
})

test('a cut archive is noticed', () => {
  const archive = zipped('a.csv', 'one,two\n')
  for (let length = 0; length < archive.length; length++)
    expect(() => unzipOnlyFile(archive.subarray(0, length))).toThrow()
})

describe.skipIf(!python())('an archive made by another program', () => {
  test.each(['ZIP_DEFLATED', 'ZIP_STORED'])('with %s is read', (method) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-zip-'))
    try {
      writeFileSync(path.join(folder, 'a.csv'), 'one,two\n'.repeat(1_000))
      const script = `import zipfile; zipfile.ZipFile('a.zip', 'w', zipfile.${method}).write('a.csv')`
      execFileSync('python3', ['-c', script], { cwd: folder })
      expect(unzipOnlyFile(readFileSync(path.join(folder, 'a.zip'))).toString()).toBe('one,two\n'.repeat(1_000))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
