import { crypto, Transaction } from 'bitcoinjs-lib'

/**
 * Kinds of output lock: the first six need no signature, the others the key of the test's wallet.
 */
export const openLocks = ['bare', 'sh', 'wsh', 'sh-wsh', 'anchor', 'future'] as const
export const keyedLocks = ['p2pk', 'p2pkh', 'p2sh-p2wpkh', 'p2wpkh', 'p2wsh', 'p2tr', 'multisig'] as const
export type OpenLock = (typeof openLocks)[number]
export type KeyedLock = (typeof keyedLocks)[number]

/** An unspent output. */
export interface Coin {
  readonly txid: string
  readonly index: number
  readonly sats: number
  readonly lock: OpenLock | KeyedLock
  /** Height of the block that created it. */
  readonly height: number
  readonly coinbase: boolean
}

export interface Payment {
  readonly script: Uint8Array
  readonly sats: number
  /** Undefined for outputs that the test never spends, or nobody can. */
  readonly lock: OpenLock | KeyedLock | undefined
}

/** A transaction with the coins that it spends and creates. */
export interface Spending {
  readonly transaction: Transaction
  readonly spent: readonly Coin[]
  readonly made: readonly Coin[]
  readonly feeSats: number
}

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
const push = (data: Uint8Array): Uint8Array => join(Uint8Array.of(data.length), data)
const payToHash = (script: Uint8Array): Uint8Array => join(bytes('a914'), crypto.hash160(script), bytes('87'))

/** OP_TRUE, which anyone can spend. */
const anyone = bytes('51')
const witnessOfAnyone = join(bytes('0020'), crypto.sha256(anyone))

const openings: Record<OpenLock, { script: Uint8Array; unlock: Uint8Array; witness: Uint8Array[] }> = {
  bare: { script: anyone, unlock: bytes(''), witness: [] },
  sh: { script: payToHash(anyone), unlock: push(anyone), witness: [] },
  wsh: { script: witnessOfAnyone, unlock: bytes(''), witness: [anyone] },
  'sh-wsh': { script: payToHash(witnessOfAnyone), unlock: push(witnessOfAnyone), witness: [anyone] },
  anchor: { script: bytes('51024e73'), unlock: bytes(''), witness: [] },
  // A witness program of a version without rules.
  future: { script: bytes('5a04c0ffee00'), unlock: bytes(''), witness: [] },
}

export const openScript = (lock: OpenLock): Uint8Array => openings[lock].script

export const isOpen = (lock: OpenLock | KeyedLock): lock is OpenLock => lock in openings
export const opensWithoutKey = (coin: Coin): boolean => isOpen(coin.lock)

/** A transaction that spends these coins. Keyed inputs are not signed yet. */
export function buildTransaction(coins: readonly Coin[], payments: readonly Payment[]): Transaction {
  const transaction = new Transaction()
  transaction.version = 2
  for (const [i, { txid, index, lock }] of coins.entries()) {
    transaction.addInput(Buffer.from(txid, 'hex').reverse(), index)
    if (!isOpen(lock)) continue
    transaction.setInputScript(i, openings[lock].unlock)
    transaction.setWitness(i, openings[lock].witness)
  }
  for (const { script, sats } of payments) transaction.addOutput(script, BigInt(sats))
  return transaction
}

const total = (amounts: readonly { sats: number }[]): number => amounts.reduce((sum, { sats }) => sum + sats, 0)

/** The finished transaction of a block at `height`, with the coins that it spends and creates. */
export function spending(
  transaction: Transaction,
  spent: readonly Coin[],
  payments: readonly Payment[],
  height: number,
): Spending {
  const txid = transaction.getId()
  const made = payments.flatMap(({ lock, sats }, index) =>
    lock ? [{ txid, index, sats, lock, height, coinbase: false }] : [],
  )
  return { transaction, spent, made, feeSats: total(spent) - total(payments) }
}
