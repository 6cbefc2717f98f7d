import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { addKnownAddresses, readKnownAddresses } from '#compute/labels/known-addresses.ts'
import { maxLabelledAddresses } from '#compute/labels/label-files.ts'
import { writeIntact } from '#sql/intact-file.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-known-'))
afterAll(() => rmSync(dataDir, { recursive: true }))
const file = path.join(dataDir, 'raw', 'label-addresses')

const labelsOf = (first: number, count: number) => ({
  names: ['One'],
  highs: new Uint32Array(count),
  lows: Uint32Array.from({ length: count }, (_, i) => first + i),
  places: new Int32Array(count),
  hash: '',
  warnings: [],
})

test.each([1, 4, 10, 12])('a file of %i bytes, which are no whole addresses, is damaged', (bytes) => {
  writeIntact(file, [new Uint8Array(bytes)])
  expect(() => readKnownAddresses(dataDir)).toThrow(
    expect.objectContaining({ code: 'data_folder_damaged', message: expect.stringContaining(file) }),
  )
})

test('lists may have had ten times as many addresses as they may have at a time', () => {
  writeIntact(file, [Uint32Array.from({ length: 2 * 10 * maxLabelledAddresses - 2 }, (_, i) => (i % 2) * i)])
  // The second is known.
  expect(addKnownAddresses(dataDir, labelsOf(2, 2)).count).toBe(10 * maxLabelledAddresses)
  expect(() => addKnownAddresses(dataDir, labelsOf(2, 3))).toThrow(
    expect.objectContaining({ code: 'invalid_file', message: expect.stringContaining('2000001') }),
  )
})
