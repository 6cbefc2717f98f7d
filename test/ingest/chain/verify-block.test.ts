import { Block, Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doubleSha256 } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { merkleRoot } from '#ingest/chain/merkle.ts'
import { verifyBlock as verifyInto } from '#ingest/chain/verify-block.ts'
import { arbitraryBlock, blockRuns } from '#test/support/arbitrary-block.ts'
import { hasModernBlocks, modernBlock } from '#test/support/sample-blocks.ts'

const decoded = new DecodedBlock()
const verifyBlock = (bytes: Uint8Array, hash: Uint8Array) => verifyInto(bytes, hash, decoded)
const verify = (bytes: Uint8Array) => verifyBlock(bytes, doubleSha256(bytes.subarray(0, 80)))

function transaction(index: number, witness: readonly string[] = []): Transaction {
  const transaction = new Transaction()
  transaction.addInput(new Uint8Array(32).fill(index + 1), index)
  transaction.addOutput(new Uint8Array(index), BigInt(index))
  if (witness.length > 0)
    transaction.setWitness(
      0,
      witness.map((item) => Buffer.from(item)),
    )
  return transaction
}

/** A block of these transactions after a coinbase with these output scripts (hex). */
function createBlock(others: readonly Transaction[], scripts = ['51'], witness: readonly Uint8Array[] = []): Block {
  const coinbase = new Transaction()
  coinbase.addInput(new Uint8Array(32), 0xffff_ffff, 0, Buffer.from('0102', 'hex'))
  for (const script of scripts) coinbase.addOutput(Buffer.from(script, 'hex'), 0n)
  coinbase.setWitness(0, [...witness])
  const block = new Block()
  block.prevHash = new Uint8Array(32)
  block.transactions = [coinbase, ...others]
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
  return block
}

/** The commitment for this reserved value, computed by bitcoinjs-lib. */
function commitmentTo(others: readonly Transaction[], reservedValue: Uint8Array): string {
  const { transactions = [] } = createBlock(others, ['51'], [reservedValue])
  return `6a24aa21a9ed${Buffer.from(Block.calculateMerkleRoot(transactions, true)).toString('hex')}`
}

describe('a merkle root', () => {
  it('is that of bitcoinjs-lib for any number of transactions', () => {
    for (let count = 1; count <= 40; count++) {
      const transactions = Array.from({ length: count }, (_, i) => transaction(i))
      expect(
        Buffer.compare(merkleRoot(transactions.map((made) => made.getHash())), Block.calculateMerkleRoot(transactions)),
      ).toBe(0)
    }
  })

  it('is refused where the last transactions stand twice, which would leave it the same (CVE-2012-2459)', () => {
    const hashes = Array.from({ length: 6 }, (_, i) => new Uint8Array(32).fill(i))
    const [a, b, c, d, e, f] = hashes
    if (!a || !b || !c || !d || !e || !f) throw new Error('no hashes')
    for (const twice of [
      [a, b, c, c],
      [a, a],
      [a, b, c, d, e, f, e, f],
      [a, b, c, d, e, e],
    ]) {
      expect(() => merkleRoot(twice)).toThrow(/twice/)
    }
    // Equal hashes that are not neighbours change the root.
    expect(() => merkleRoot([a, b, b, c])).not.toThrow()
  })
})

describe('verification', () => {
  it('accepts every block that bitcoinjs-lib finds sound', () => {
    fc.assert(
      fc.property(arbitraryBlock, (block) => {
        const ids = block.transactions?.map((made) => made.getId()) ?? []
        fc.pre(new Set(ids).size === ids.length)
        const bytes = block.toBuffer()
        expect(Block.fromBuffer(bytes).checkTxRoots()).toBe(true)
        verify(bytes)
      }),
      blockRuns,
    )
  })

  it('catches any changed, missing or additional byte of any block', () => {
    fc.assert(
      fc.property(arbitraryBlock, fc.nat(), fc.integer({ min: 1, max: 255 }), (block, place, change) => {
        const bytes = block.toBuffer()
        const hash = doubleSha256(bytes.subarray(0, 80))
        const at = place % bytes.length
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ change
        expect(() => verifyBlock(changed, hash)).toThrow(RangeError)
        const missing = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
        expect(() => verifyBlock(missing, hash)).toThrow(RangeError)
        const more = Buffer.concat([bytes.subarray(0, at), Uint8Array.of(change), bytes.subarray(at)])
        expect(() => verifyBlock(more, hash)).toThrow(RangeError)
      }),
      blockRuns,
    )
  })

  it('names a header with another hash, also where the bytes end within it', () => {
    const bytes = createBlock([]).toBuffer()
    expect(() => verifyBlock(bytes, new Uint8Array(32))).toThrow('another hash')
    expect(() => verify(bytes.subarray(0, 79))).toThrow('another hash')
  })

  it('names transactions that the merkle root does not commit to', () => {
    const block = createBlock([transaction(1)])
    block.transactions?.push(transaction(2))
    expect(() => verify(block.toBuffer())).toThrow('merkle root')
  })

  it('rejects a block with its last transactions twice', () => {
    const block = createBlock([transaction(1), transaction(2)])
    block.transactions?.push(transaction(2))
    expect(Buffer.compare(Block.calculateMerkleRoot(block.transactions ?? []), block.merkleRoot ?? noBytes)).toBe(0)
    expect(() => verify(block.toBuffer())).toThrow('twice')
  })

  it('rejects a block whose first transaction spends something', () => {
    const block = createBlock([])
    block.transactions = [transaction(3)]
    block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
    expect(() => verify(block.toBuffer())).toThrow('coinbase')
  })
})

const noBytes = new Uint8Array(0)

describe('witnesses', () => {
  const reservedValue = new Uint8Array(32).fill(9)
  const others = [transaction(1, ['a', '']), transaction(2), transaction(3, ['b'])]
  const commitment = commitmentTo(others, reservedValue)

  it('are right where the coinbase commits to them, in the last of several outputs', () => {
    const wrong = `6a24aa21a9ed${'00'.repeat(32)}`
    verify(createBlock(others, ['51', commitment], [reservedValue]).toBuffer())
    verify(createBlock(others, [wrong, '51', `${commitment}aabb`], [reservedValue]).toBuffer())
    expect(() => verify(createBlock(others, [commitment, wrong], [reservedValue]).toBuffer())).toThrow(
      'other witnesses',
    )
  })

  it('are refused where they differ from what the coinbase commits to', () => {
    const changed = [transaction(1, ['a', 'x']), transaction(2), transaction(3, ['b'])]
    expect(() => verify(createBlock(changed, [commitment], [reservedValue]).toBuffer())).toThrow('other witnesses')
    expect(() => verify(createBlock(others, [commitment], [new Uint8Array(32)]).toBuffer())).toThrow('other witnesses')
  })

  it('are refused where nothing commits to them', () => {
    expect(() => verify(createBlock(others, ['51'], [reservedValue]).toBuffer())).toThrow('does not commit')
    expect(() => verify(createBlock(others).toBuffer())).toThrow('does not commit')
    expect(() => verify(createBlock([], ['51'], [reservedValue]).toBuffer())).toThrow('does not commit')
    const cutOff = commitment.slice(0, -2)
    expect(() => verify(createBlock(others, [cutOff], [reservedValue]).toBuffer())).toThrow('does not commit')
  })

  it.each([
    ['none', []],
    ['one of 31 bytes', [new Uint8Array(31)]],
    ['one of 33 bytes', [new Uint8Array(33)]],
    ['two', [reservedValue, new Uint8Array(1)]],
    ['two that together are as long', [new Uint8Array(15), new Uint8Array(16)]],
  ])('are refused where the reserved values of the coinbase are %s', (_, witness) => {
    expect(() => verify(createBlock(others, [commitment], witness).toBuffer())).toThrow('reserved value')
  })

  it('may be missing from a block that commits to none, as before their activation', () => {
    verify(createBlock([transaction(1)], [commitment]).toBuffer())
  })

  it('are refused where a transaction has room for them but none', () => {
    const bytes = createBlock([transaction(1)]).toBuffer()
    const at = bytes.length - transaction(1).toBuffer().length
    const marked = Buffer.concat([
      bytes.subarray(0, at + 4),
      Uint8Array.of(0, 1),
      bytes.subarray(at + 4, -4),
      Uint8Array.of(0),
      bytes.subarray(-4),
    ])
    expect(() => verify(marked)).toThrow('does not commit')
  })
})

describe.skipIf(!hasModernBlocks)('modern mainnet blocks', () => {
  it.each([367_891, 866_342])('%d is intact', (height) => {
    const { bytes, hash } = modernBlock(height)
    verifyBlock(bytes, hash)
  })

  it('have their witnesses checked', () => {
    const { bytes, hash } = modernBlock(866_342)
    const coinbase = Block.fromBuffer(bytes).transactions?.[0]
    const second = Block.fromBuffer(bytes).transactions?.[1]
    if (!coinbase || !second?.hasWitnesses()) throw new Error('unexpected block')
    const witness = second.ins[0]?.witness[0]
    const at = Buffer.from(bytes).indexOf(witness ?? noBytes)
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => verifyBlock(changed, hash)).toThrow('other witnesses')
  })
})
