import { scriptTypes, toKind } from '#contract/kinds.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { sizeOf } from '#ingest/chain/output-kind.ts'

/** The parts of a transaction that a scan reads. */
export interface TestTransaction {
  /** Height and value of each spent output. */
  readonly spends: ReadonlyArray<readonly [height: number, sats: number]>
  readonly paysOut: number
}

export interface TestBlock {
  readonly coinbase: number
  readonly transactions: readonly TestTransaction[]
}

const p2pkh = (sats: number): number => toKind(scriptTypes.indexOf('p2pkh'), sizeOf(sats), 0)

/**
 * A decoded block of transactions of 400 weight units with one output, all of type P2PKH, and none
 * that counts as mined.
 */
export function decoded({ coinbase, transactions }: TestBlock): DecodedBlock {
  const block = new DecodedBlock()
  block.begin(transactions.length + 1)
  block.inputCounts[0] = 1
  block.outputSats[0] = coinbase
  block.outputCount = 1 + transactions.length
  block.transactionWeights.fill(400)
  block.outputCounts.fill(1)
  block.reserveCreated(block.outputCount)
  for (const [i, sats] of [coinbase, ...transactions.map(({ paysOut }) => paysOut)].entries()) {
    block.addCreated(p2pkh(sats), sats)
    block.largestOutputs[i] = sats
    block.createdValues[block.createdCount++] = sats
  }
  for (const [i, { spends, paysOut }] of transactions.entries()) {
    block.inputCounts[i + 1] = spends.length
    block.outputSats[i + 1] = paysOut
    block.reserveSpent(block.spentCount + spends.length)
    for (const [height, sats] of spends) {
      block.spentHeights[block.spentCount] = height
      block.spentKinds[block.spentCount] = p2pkh(sats)
      block.spentSats[block.spentCount++] = sats
    }
  }
  return block
}
