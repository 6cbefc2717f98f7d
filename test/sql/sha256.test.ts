import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { Sha256 } from '#sql/sha256.ts'
import { Random } from '#test/support/random.ts'

const random = new Random(180_4)

it('gives what Node gives, of any number of bytes, in any pieces, put aside and taken up again', () => {
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, () => random.between(0, 255))
    const expected = createHash('sha256').update(bytes).digest('hex')
    let hash = new Sha256()
    for (let at = 0; at < length; ) {
      const piece = random.between(1, 150)
      hash.update(bytes.subarray(at, at + piece))
      at += piece
      // To ask for the hash so far changes nothing.
      if (random.next() < 0.3) hash.digest()
      if (random.next() < 0.5) hash = new Sha256(hash.state)
    }
    expect(hash.digest(), `${length} bytes`).toBe(expected)
  }
})

it('counts beyond what 32 bits hold', () => {
  const piece = new Uint8Array(2 ** 20)
  // As if 4 GB minus a piece had been hashed: the words of the state do not matter, its count does.
  const state = Buffer.alloc(40)
  state.writeDoubleBE(2 ** 32 - piece.length, 32)
  const hash = new Sha256(state.toString('base64')).update(piece)
  expect(Buffer.from(hash.state, 'base64').readDoubleBE(32)).toBe(2 ** 32)
  const short = Buffer.alloc(40)
  short.writeDoubleBE(0, 32)
  expect(hash.digest()).not.toBe(new Sha256(short.toString('base64')).update(piece).digest())
})
