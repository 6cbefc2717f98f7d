import type { DecodedBlock } from './decoded-block.ts'

/**
 * Writes each transaction's fee to `fees` (0 for the coinbase) and returns their sum, in satoshis.
 * Throws `RangeError` if a transaction pays out more than it spends.
 */
export function transactionFees(block: DecodedBlock, fees: Float64Array): number {
  const { transactionCount, inputCounts, outputSats, spentSats } = block
  fees[0] = 0
  let total = 0
  let spent = 0
  for (let transaction = 1; transaction < transactionCount; transaction++) {
    let input = 0
    for (const end = spent + inputCounts[transaction]!; spent < end; spent++) input += spentSats[spent]!
    const fee = input - outputSats[transaction]!
    if (fee < 0) {
      throw new RangeError(`transaction ${transaction} pays out ${-fee} satoshis more than it takes in`)
    }
    fees[transaction] = fee
    total += fee
  }
  return total
}
