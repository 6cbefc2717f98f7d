import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { walkRecords } from '#ingest/chain/records.ts'
import { blockRecord } from '#test/support/core-records.ts'

const magic = 0xd9b4bef9
const magicBytes = Buffer.from('f9beb4d9', 'hex')

function walk(file: Uint8Array, trailerBytes = 0): Array<{ offset: number; size: number }> {
  return [...walkRecords((at, length) => file.subarray(at, at + length), file.length, magic, trailerBytes)]
}

const record = (body: Uint8Array, size?: number): Buffer => blockRecord(magic, body, size)

/** Bytes without the first byte of the magic, so that no record begins in them by chance. */
const noise = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0xf9 ? 0 : byte))))

describe('the records of a file', () => {
  it('are found wherever they stand between unwritten space and leftovers', () => {
    const parts = fc.array(fc.tuple(noise, fc.uint8Array({ maxLength: 50 })), { maxLength: 8 })
    fc.assert(
      fc.property(parts, noise, fc.constantFrom(0, 32), (between, end, trailerBytes) => {
        const pieces: Buffer[] = []
        const expected: Array<{ offset: number; size: number }> = []
        let at = 0
        for (const [gap, body] of between) {
          const whole = record(Buffer.concat([body, Buffer.alloc(trailerBytes, 0xf9)]), body.length)
          expected.push({ offset: at + gap.length + 8, size: body.length })
          pieces.push(gap, whole)
          at += gap.length + whole.length
        }
        expect(walk(Buffer.concat([...pieces, end]), trailerBytes)).toEqual(expected)
      }),
    )
  })

  it('may hold the magic inside their bodies', () => {
    const body = Buffer.concat([magicBytes, Buffer.alloc(4), magicBytes])
    expect(walk(Buffer.concat([record(body), record(Buffer.alloc(3))]))).toEqual([
      { offset: 8, size: 12 },
      { offset: 28, size: 3 },
    ])
  })

  it('leave out one that is cut off or of absurd length, and go on behind its magic', () => {
    const inside = record(Buffer.from('whole'))
    expect(walk(Buffer.concat([record(inside, 0xffff_ffff)]))).toEqual([{ offset: 16, size: 5 }])
    expect(walk(record(Buffer.alloc(10), 11))).toEqual([])
    expect(walk(record(Buffer.alloc(10)), 1)).toEqual([])
    expect(walk(magicBytes)).toEqual([])
    expect(walk(Buffer.alloc(0))).toEqual([])
  })

  it('survive a crash in the midst of one, whose place the next takes', () => {
    const old = record(Buffer.alloc(100, 7))
    const file = Buffer.concat([record(Buffer.from('first')), old])
    // After the crash the node writes a shorter block over the old one.
    record(Buffer.from('second')).copy(file, 13)
    const appended = Buffer.concat([file, record(Buffer.from('third'))])
    expect(walk(appended).map(({ size }) => size)).toEqual([5, 6, 5])
  })

  it('are found behind more noise than is searched at once, also where the magic spans the edge of a search', () => {
    for (const gap of [3 * 2 ** 20, 2 ** 20 - 1, 2 ** 20 - 2, 2 ** 20 - 3, 2 ** 20, 2 ** 20 + 1]) {
      expect(walk(Buffer.concat([Buffer.alloc(gap), record(Buffer.from('far'))]))).toEqual([
        { offset: gap + 8, size: 3 },
      ])
    }
  })

  it('never lie outside the file, whatever its bytes are', () => {
    const chunks = fc.array(fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.constant(Uint8Array.from(magicBytes))), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(chunks, (pieces) => {
        const file = Buffer.concat(pieces)
        let end = 0
        for (const { offset, size } of walk(file)) {
          expect(offset - 8).toBeGreaterThanOrEqual(end)
          end = offset + size
          expect(end).toBeLessThanOrEqual(file.length)
        }
      }),
    )
  })
})
