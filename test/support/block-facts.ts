import type { Block, Transaction } from 'bitcoinjs-lib'
import { script as scripts } from 'bitcoinjs-lib'
import { kindName } from './replay.ts'

/** An output that a transaction spends. */
export interface SpentCoin {
  readonly sats: number
  readonly script: Uint8Array
}

export type BlockFacts = Readonly<Record<string, number | null>>

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const typeOf = (script: Uint8Array, sats: number): string => kindName(script, sats, false, 1).split(',')[1]!
const isSpendable = (script: Uint8Array): boolean => !['op_return', 'unspendable'].includes(typeOf(script, 0))

/**
 * Whether a script has `OP_FALSE OP_IF "ord"` among its first eight opcodes, by the parser of
 * bitcoinjs-lib.
 */
function isEnvelope(leaf: Uint8Array): boolean {
  const parts = scripts.decompile(leaf)?.map((part) => (typeof part === 'number' ? String(part) : hexOf(part))) ?? []
  return parts.some((part, i) => i < 8 && part === '0' && parts[i + 1] === '99' && parts[i + 2] === '6f7264')
}

function hasInscription(transaction: Transaction): boolean {
  return transaction.ins.some(({ witness }) => {
    const control = witness.at(-1)
    return (
      witness.length >= 2 &&
      control !== undefined &&
      [33, 65, 97, 129].includes(control.length) &&
      [0xc0, 0xc1].includes(control[0]!) &&
      isEnvelope(witness.at(-2)!)
    )
  })
}

/**
 * The dust limit of Bitcoin Core: three satoshis for each byte of the output and of an input that
 * spends it.
 */
function isDust(script: Uint8Array, sats: number): boolean {
  const program = hexOf(script).match(/^(00|5[1-9a-f]|60)(..)/)
  const isWitness =
    program && script.length >= 4 && script.length <= 42 && Number.parseInt(program[2]!, 16) === script.length - 2
  const bytes = 8 + (script.length < 253 ? 1 : 3) + script.length
  return sats < 3 * (bytes + 32 + 4 + 1 + (isWitness ? Math.floor(107 / 4) : 107) + 4)
}

function rulesOf(transaction: Transaction, spent: readonly SpentCoin[]): Readonly<Record<string, boolean>> {
  const { ins, outs, version, locktime } = transaction
  const [inputs, outputs] = [ins.length, outs.length]
  const spendable = outs.filter(({ script }) => isSpendable(script))
  const returns = outs.filter(({ script }) => script[0] === 0x6a)
  const isConsolidation = inputs / outputs >= 5
  const isBatch = outputs / inputs >= 5
  return {
    version_1_transactions: version === 1,
    version_2_transactions: version === 2,
    version_3_transactions: version === 3,
    locked_transactions: locktime !== 0,
    replaceable_transactions: ins.some(({ sequence }) => sequence < 0xfffffffe),
    segwit_transactions: transaction.hasWitnesses(),
    taproot_transactions: spent.some(({ script, sats }) => typeOf(script, sats) === 'p2tr'),
    one_to_one_transactions: inputs === 1 && outputs === 1,
    consolidation_transactions: isConsolidation,
    batch_transactions: isBatch,
    coinjoin_like_transactions:
      !isConsolidation &&
      !isBatch &&
      inputs >= 5 &&
      spendable.length >= 5 &&
      new Set(spendable.map(({ value }) => value)).size <= spendable.length / 2,
    inscription_transactions: hasInscription(transaction),
    runestone_transactions: returns.some(({ script }) => script[1] === 0x5d),
    op_return_transactions: returns.length > 0,
    several_op_return_transactions: returns.length > 1,
  }
}

const rank = (sorted: readonly number[], share: number): number | null =>
  sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]! / 1000

/**
 * The columns of `blocks` that come from transactions and output scripts, decoded by bitcoinjs-lib.
 * `spent` are the coins of each transaction except the coinbase. Also the values behind the
 * quantiles of a day.
 */
export function blockFacts(block: Block, spent: readonly (readonly SpentCoin[])[]) {
  const [, ...paying] = block.transactions ?? []
  const outs = (block.transactions ?? []).flatMap((transaction) => transaction.outs)
  const facts: Record<string, number | null> = {}
  const totals = paying.map(({ outs }) => outs.reduce((sum, { value }) => sum + Number(value), 0))
  const fees = totals.map((total, i) => spent[i]!.reduce((sum, { sats }) => sum + sats, 0) - total)
  const rules = paying.map((transaction, i) => rulesOf(transaction, spent[i]!))
  for (const name of Object.keys(rules[0] ?? rulesOf(block.transactions![0]!, []))) {
    facts[name] = rules.filter((rule) => rule[name]).length
  }
  const returns = outs.filter(({ script }) => script[0] === 0x6a).map(({ script }) => script)
  facts.dust_outputs = outs.filter(({ script, value }) => isSpendable(script) && isDust(script, Number(value))).length
  facts.large_op_return_outputs = returns.filter(({ length }) => length > 83).length
  facts.omni_outputs = returns.filter((script) => {
    const [, data] = scripts.decompile(script) ?? []
    return typeof data === 'object' && hexOf(data).startsWith('6f6d6e69')
  }).length
  facts.op_return_bytes = returns.reduce((sum, { length }) => sum + length, 0)
  facts.adjusted_sats = paying.reduce(
    (sum, { outs }, i) =>
      sum + totals[i]! - (outs.length > 1 ? Math.max(...outs.map(({ value }) => Number(value))) : 0),
    0,
  )
  const rates = fees.map((fee, i) => Math.floor((1000 * fee) / paying[i]!.virtualSize())).sort((a, b) => a - b)
  for (const [name, share] of Object.entries({
    min: 0,
    p10: 0.1,
    p25: 0.25,
    median: 0.5,
    p75: 0.75,
    p90: 0.9,
    max: 1,
  })) {
    facts[`fee_rate_${name}`] = rank(rates, share)
  }
  return {
    facts: facts as BlockFacts,
    rates,
    created: outs.filter(({ script }) => isSpendable(script)).map(({ value }) => Number(value)),
    spentValues: spent.flat().map(({ sats }) => sats),
    transfers: totals,
  }
}
