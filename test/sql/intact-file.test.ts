import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { unfinishedPath } from '#sql/files.ts'
import {
  formatIntactJson,
  IntactReader,
  IntactWriter,
  parseIntactJson,
  readIntact,
  readIntactJson,
  writeIntact,
  writeIntactJson,
} from '#sql/intact-file.ts'
import { openFiles } from '#test/support/open-files.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { Random } from '#test/support/random.ts'

const blockBytes = 1 << 16
const lengths = [0, 1, 8, blockBytes - 1, blockBytes, blockBytes + 1, 3 * blockBytes, 5 * blockBytes + 4321]
const random = new Random(57)
const randomBytes = (length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, () => random.between(0, 255))

const file = (): string => path.join(temporaryFolder('intact'), 'folder', 'some.file')

it('reads what was written, in any pieces', () => {
  for (const length of lengths) {
    const target = file()
    const bytes = randomBytes(length)
    const writer = new IntactWriter(target)
    for (let at = 0; at < length; ) {
      const size = random.between(1, 2 * blockBytes)
      writer.write(bytes.subarray(at, at + size))
      at += size
    }
    expect(existsSync(target)).toBe(false)
    writer.finish()
    expect(readIntact(target)).toEqual(bytes)
    expect(readdirSync(path.dirname(target))).toEqual(['some.file'])
    const reader = new IntactReader(target)
    expect(reader.length).toBe(length)
    for (let at = 0; at < length; ) {
      const piece = new Uint8Array(Math.min(random.between(1, 3 * blockBytes), length - at))
      expect(reader.read(piece)).toEqual(bytes.subarray(at, at + piece.length))
      at += piece.length
    }
    for (let i = 0; i < 30; i++) {
      const at = random.between(0, length)
      const piece = new Uint8Array(random.between(0, length - at))
      expect(reader.read(piece, at)).toEqual(bytes.subarray(at, at + piece.length))
    }
    expect(() => reader.read(new Uint8Array(1), length)).toThrow('damaged')
    reader.close()
  }
})

it.skipIf(!existsSync('/dev/full'))('closes a file that a full disk cannot finish', () => {
  const target = file()
  mkdirSync(path.dirname(target), { recursive: true })
  symlinkSync('/dev/full', unfinishedPath(target))
  const before = openFiles()
  expect(() => writeIntact(target, [])).toThrow('ENOSPC')
  expect(openFiles()).toBe(before)
  expect(existsSync(target)).toBe(false)
})

it('writes arrays of any type, and a new file in place of an old one', () => {
  const target = file()
  writeIntact(target, [Float64Array.of(1.5, Number.NaN), Uint16Array.of(7, 8).subarray(1)])
  writeIntact(target, [Float64Array.of(1.5, Number.NaN), Uint16Array.of(7, 9).subarray(1)], false)
  const content = readIntact(target)!
  expect(new Float64Array(content.buffer, 0, 2)).toEqual(Float64Array.of(1.5, Number.NaN))
  expect(content.subarray(16)).toEqual(Uint8Array.of(9, 0))
})

it('finds every flipped bit, and files that are too short or too long', () => {
  for (const length of [0, 5, blockBytes + 5]) {
    const target = file()
    writeIntact(target, [randomBytes(length)])
    const intact = readFileSync(target)
    const places = [...intact.keys()].filter((at) => at < 40 || at > intact.length - 40 || random.next() < 0.002)
    for (const at of places) {
      const bytes = Buffer.from(intact)
      bytes[at]! ^= 1 << random.between(0, 7)
      writeFileSync(target, bytes)
      expect(readIntact(target), `byte ${at} of ${length}`).toBeUndefined()
    }
    for (let size = 0; size < intact.length; size += size < 40 || size > intact.length - 40 ? 1 : 1234) {
      writeFileSync(target, intact.subarray(0, size))
      expect(readIntact(target), `${size} bytes of ${intact.length}`).toBeUndefined()
    }
    writeFileSync(target, Buffer.concat([intact, Buffer.alloc(1)]))
    expect(readIntact(target)).toBeUndefined()
    writeFileSync(target, Buffer.concat([intact, intact]))
    expect(readIntact(target)).toBeUndefined()
  }
  expect(readIntact(file())).toBeUndefined()
})

it('checks the blocks that it reads, and names the damaged file in an error of the caller', () => {
  const target = file()
  const bytes = randomBytes(3 * blockBytes)
  writeIntact(target, [bytes])
  const damaged = readFileSync(target)
  damaged[blockBytes + 3]! ^= 1
  writeFileSync(target, damaged)
  const reader = new IntactReader(target, (name) => new RangeError(`not whole: ${name}`))
  expect(reader.read(new Uint8Array(blockBytes))).toEqual(bytes.subarray(0, blockBytes))
  expect(reader.read(new Uint8Array(20), 2 * blockBytes)).toEqual(bytes.subarray(2 * blockBytes, 2 * blockBytes + 20))
  for (const [at, size] of [
    [blockBytes, blockBytes],
    [blockBytes + 900, 1],
    [10, blockBytes],
  ] as const) {
    expect(() => reader.read(new Uint8Array(size), at)).toThrow(new RangeError(`not whole: ${target}`))
  }
  reader.close()
  truncateSync(target, 100)
  expect(() => new IntactReader(target)).toThrow(expect.objectContaining({ code: 'data_folder_damaged' }))
})

const schema = z.object({ name: z.string(), sizes: z.array(z.int()) })

it('reads JSON with its checksum, and nothing without it', () => {
  const target = file()
  const content = { name: 'of "quotes",\n  "sha256": "', sizes: [1, 2] }
  expect(readIntactJson(target, schema)).toBeUndefined()
  writeIntactJson(target, content)
  expect(readIntactJson(target, schema)).toEqual(content)
  expect(readIntactJson(target, z.looseObject({}))).toEqual(content)
  expect(parseIntactJson(formatIntactJson({}), z.record(z.string(), z.int()))).toEqual({})
  expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject(content)
  const intact = readFileSync(target)
  for (const at of intact.keys()) {
    const bytes = Buffer.from(intact)
    bytes[at]! ^= 1 << random.between(0, 7)
    expect(() => parseIntactJson(bytes.toString('utf8'), schema), `byte ${at}`).toThrow()
  }
  for (const text of ['', '{}', JSON.stringify(content), JSON.stringify(content, null, 2), intact.toString().trim()]) {
    writeFileSync(target, text)
    expect(readIntactJson(target, schema)).toBeUndefined()
    expect(() => readIntactJson(target, schema, () => new RangeError('not whole'))).toThrow('not whole')
  }
  writeFileSync(target, formatIntactJson({ name: 7 }))
  expect(readIntactJson(target, schema)).toBeUndefined()
})
