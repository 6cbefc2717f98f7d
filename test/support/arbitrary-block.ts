import { Block, Transaction } from 'bitcoinjs-lib'
import fc from 'fast-check'
import { trials } from './trials.ts'

/** Output scripts of all counted kinds, with lengths around the limits between them. */
const script = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.uint8Array({ maxLength: 40 }).map((data) => Uint8Array.of(0x6a, ...data)),
  fc.uint8Array({ minLength: 20, maxLength: 20 }).map((hash) => Uint8Array.of(0, 20, ...hash)),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((hash) => Uint8Array.of(0, 32, ...hash)),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((hash) => Uint8Array.of(0x51, 32, ...hash)),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((hash) => Uint8Array.of(0x52, 32, ...hash)),
  fc.constantFrom(252, 253, 10_000, 10_001, 66_000).map((length) => new Uint8Array(length).fill(0x51)),
)

const uint32 = fc.integer({ min: 0, max: 0xffff_ffff })

const input = fc.record({
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  index: uint32,
  script: fc.uint8Array({ maxLength: 120 }),
  sequence: uint32,
  witness: fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 3 }),
})

const output = fc.record({ value: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }), script })

const transaction = fc
  .record({
    version: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    locktime: uint32,
    ins: fc.array(input, { minLength: 1, maxLength: 5 }),
    outs: fc.array(output, { minLength: 1, maxLength: 5 }),
    segwit: fc.boolean(),
  })
  .map(({ version, locktime, ins, outs, segwit }) => {
    const made = new Transaction()
    made.version = version
    made.locktime = locktime
    made.ins = ins.map((from) => (segwit ? from : { ...from, witness: [] }))
    made.outs = outs
    return made
  })

const header = fc.record({ version: fc.nat(2 ** 31 - 1), time: uint32, bits: uint32, nonce: uint32 })

/** Transactions and a coinbase with an optional witness commitment, encoded by bitcoinjs-lib. */
export const arbitraryBlock = fc
  .record({
    header,
    transactions: fc.array(transaction, { maxLength: 12 }),
    coinbaseOutputs: fc.array(output, { minLength: 1, maxLength: 3 }),
    coinbaseScript: fc.uint8Array({ minLength: 2, maxLength: 100 }),
    reservedValue: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    previousHash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  })
  .map(({ header, transactions, coinbaseOutputs, coinbaseScript, reservedValue, previousHash }) => {
    const block = new Block()
    const coinbase = new Transaction()
    const segwit = transactions.some((made) => made.hasWitnesses())
    const witness = segwit ? [reservedValue] : []
    coinbase.ins = [{ hash: new Uint8Array(32), index: 0xffff_ffff, script: coinbaseScript, sequence: 0, witness }]
    coinbase.outs = coinbaseOutputs
    block.transactions = [coinbase, ...transactions]
    if (segwit) {
      const commitment = Block.calculateMerkleRoot(block.transactions, true)
      coinbase.outs.push({ value: 0n, script: Buffer.concat([Buffer.from('6a24aa21a9ed', 'hex'), commitment]) })
    }
    block.version = header.version
    block.timestamp = header.time
    block.bits = header.bits
    block.nonce = header.nonce
    block.prevHash = previousHash
    block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
    return block
  })

/** Blocks of this size take too long to shrink. */
export const blockRuns = { numRuns: trials(100, 300), endOnFailure: true }
