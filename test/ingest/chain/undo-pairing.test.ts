import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PairingBlock, pairUndoRecords } from '#ingest/chain/undo-pairing.ts'
import { encodeUndo } from '#ingest/simulated/undo-record.ts'
import { undoRecord, undoRecordsIn } from '#test/support/core-records.ts'

const magic = 0xdab5bffa

/**
 * A block with the body of its undo record; `transactions` holds the inputs of all but the
 * coinbase.
 */
interface Connected extends PairingBlock {
  readonly undo: Uint8Array
}

let parents = 0

function connected(transactions: readonly number[], previousHash = newHash()): Connected {
  let height = 1 + parents
  const spent = transactions.map((inputs) =>
    Array.from({ length: inputs }, () => ({
      sats: 1000 * height,
      script: new Uint8Array(0),
      height: height++,
      coinbase: false,
    })),
  )
  return { previousHash, transactionCount: transactions.length + 1, undo: encodeUndo(spent) }
}

function newHash(): Uint8Array {
  const hash = Buffer.alloc(32, 7)
  hash.writeUInt32LE(++parents)
  return hash
}

const createRecord = ({ undo, previousHash }: Connected): Buffer => undoRecord(magic, previousHash, undo)

function pair(blocks: readonly PairingBlock[], pieces: readonly Uint8Array[]) {
  const file = Buffer.concat(pieces)
  const records = undoRecordsIn(magic, file)
  const { claimed, rivals, unclaimed } = pairUndoRecords(blocks, file, records)
  const bodyOf = (record: number): string | undefined => {
    const found = records[record]
    return found && file.toString('hex', found.offset, found.offset + found.size)
  }
  return {
    claimed: [...claimed].map(bodyOf),
    rivals: new Map([...rivals].map(([block, others]) => [block, others.map(bodyOf)])),
    unclaimed,
  }
}

const bodies = (blocks: readonly Connected[]): string[] => blocks.map(({ undo }) => Buffer.from(undo).toString('hex'))

const blocks = fc
  .array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }), { minLength: 1, maxLength: 25 })
  .map((shapes) => shapes.map((shape) => connected(shape)))

describe('undo records', () => {
  it('are found for every block, in whatever order they stand', () => {
    const shuffled = blocks.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, ([all, order]) => {
        expect(pair(all, order.map(createRecord))).toEqual({ claimed: bodies(all), rivals: new Map(), unclaimed: 0 })
      }),
    )
  })

  it('of stale blocks, copies and leftovers are only counted', () => {
    const scene = fc.tuple(blocks, blocks, fc.array(fc.nat(), { maxLength: 5 }), fc.infiniteStream(fc.nat()))
    fc.assert(
      fc.property(scene, ([all, stale, copies, order]) => {
        const records = [...all, ...stale, ...copies.map((copy) => all[copy % all.length] ?? connected([]))]
        const mixed = records
          .map((record) => ({ record, key: order.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ record }) => createRecord(record))
        const garbage = Buffer.from('00fabfb5', 'hex')
        expect(pair(all, [garbage, ...mixed, garbage, Buffer.alloc(50)])).toEqual({
          claimed: bodies(all),
          rivals: new Map(),
          unclaimed: stale.length + copies.length,
        })
      }),
    )
  })

  it('that are missing leave exactly their blocks without one', () => {
    fc.assert(
      fc.property(blocks, fc.nat(), (all, at) => {
        const missing = at % all.length
        const there = all.filter((_, i) => i !== missing)
        const expected = bodies(all).map((body, i) => (i === missing ? undefined : body))
        expect(pair(all, there.map(createRecord)).claimed).toEqual(expected)
      }),
    )
  })

  it('are not claimed with a wrong byte anywhere', () => {
    const block = connected([2, 1])
    const intact = createRecord(block)
    expect(pair([block], [intact]).claimed).toEqual(bodies([block]))
    for (let at = 0; at < intact.length; at++) {
      const damaged = Buffer.from(intact)
      damaged[at] = (damaged[at] ?? 0) ^ 0x10
      expect(pair([block], [damaged]).claimed, `byte ${at}`).toEqual([undefined])
    }
  })

  it('of a sibling with as many transactions fit the block too, and are named as rivals', () => {
    const parent = newHash()
    const before = connected([1])
    const block = connected([1, 2], parent)
    const sibling = { ...connected([3], parent), transactionCount: 3, undo: connected([2, 1]).undo }
    const smaller = connected([5], parent)
    const own = { claimed: bodies([before, block]), rivals: new Map([[1, bodies([sibling])]]), unclaimed: 2 }
    expect(pair([before, block], [before, block, sibling, smaller].map(createRecord))).toEqual(own)
    const other = { claimed: bodies([before, sibling]), rivals: new Map([[1, bodies([block])]]), unclaimed: 2 }
    expect(pair([before, block], [before, sibling, smaller, block].map(createRecord))).toEqual(other)
  })

  it('are no rivals where they are copies of the same bytes, or of blocks that spend nothing', () => {
    const parent = newHash()
    const empty = connected([], parent)
    const spending = connected([2])
    const all = [empty, empty, spending, spending].map(createRecord)
    expect(pair([empty, spending], all)).toEqual({
      claimed: bodies([empty, spending]),
      rivals: new Map(),
      unclaimed: 2,
    })
  })

  it('of no bytes or a cut-off count fit no block', () => {
    const block = connected([])
    const odd = ['', 'fd', 'fd00'].map((body) => createRecord({ ...block, undo: Buffer.from(body, 'hex') }))
    expect(pair([block], odd)).toEqual({ claimed: [undefined], rivals: new Map(), unclaimed: 3 })
  })
})
