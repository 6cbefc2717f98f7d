/**
 * Satoshis in profit and in loss, by what they had cost, and what that comes to: USD per coin times satoshis. Each has one element
 * a day or a slot.
 */
export interface Margins {
  readonly inProfit: Float64Array
  readonly inLoss: Float64Array
  readonly profit: Float64Array
  readonly loss: Float64Array
}

export const noMargins = (length: number): Margins => ({
  inProfit: new Float64Array(length),
  inLoss: new Float64Array(length),
  profit: new Float64Array(length),
  loss: new Float64Array(length),
})

/** Counts satoshis for which `paid` was paid at a price, both in USD per coin. */
export function addMargin(to: Margins, at: number, sats: number, paid: number, price: number): void {
  if (paid < price) {
    to.inProfit[at]! += sats
    to.profit[at]! += sats * (price - paid)
  } else if (paid > price) {
    to.inLoss[at]! += sats
    to.loss[at]! += sats * (paid - price)
  }
}
