import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { deobfuscate, readObfuscationKey } from '#ingest/chain/obfuscation.ts'

describe('de-obfuscation', () => {
  const key = fc.uint8Array({ minLength: 8, maxLength: 8 })

  it('XORs each byte with the byte of the key at its place in the file, however the bytes lie in memory', () => {
    fc.assert(
      fc.property(
        key,
        fc.uint8Array({ maxLength: 100 }),
        fc.nat(20),
        fc.nat(2 ** 31),
        (keyBytes, content, shift, offset) => {
          const memory = new Uint8Array(content.length + shift + 5).fill(0xee)
          const bytes = memory.subarray(shift, shift + content.length)
          bytes.set(content)
          deobfuscate(bytes, Buffer.from(keyBytes), offset)
          expect([...bytes]).toEqual([...content].map((byte, i) => byte ^ (keyBytes[(offset + i) % 8] ?? 0)))
          // The bytes around are unchanged.
          const around = [...memory.subarray(0, shift), ...memory.subarray(shift + content.length)]
          expect(around.every((byte) => byte === 0xee)).toBe(true)
        },
      ),
    )
  })

  it('gives the same in pieces as in one', () => {
    fc.assert(
      fc.property(key, fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.nat(59), (keyBytes, content, at) => {
        const cut = at % content.length
        const whole = content.slice()
        deobfuscate(whole, keyBytes, 3)
        const pieces = [content.slice(0, cut), content.slice(cut)]
        deobfuscate(pieces[0] ?? whole, keyBytes, 3)
        deobfuscate(pieces[1] ?? whole, keyBytes, 3 + cut)
        expect(Buffer.concat(pieces).equals(whole)).toBe(true)
      }),
    )
  })
})

describe('the key of a block folder', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-xor-'))
  afterEach(() => rmSync(path.join(folder, 'xor.dat'), { force: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('is what xor.dat holds', () => {
    writeFileSync(path.join(folder, 'xor.dat'), Buffer.from('0102030405060708', 'hex'))
    expect([...readObfuscationKey(folder)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('changes nothing where there is no xor.dat', () => {
    expect([...readObfuscationKey(folder)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
  })

  it('is refused when it is cut off', () => {
    writeFileSync(path.join(folder, 'xor.dat'), Buffer.alloc(7))
    expect(() => readObfuscationKey(folder)).toThrow(
      expect.objectContaining({ code: 'block_corrupt', message: expect.stringContaining('xor.dat has 7 bytes') }),
    )
  })
})
