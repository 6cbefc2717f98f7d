/** Satoshis in profit and in loss, and their gain and loss in USD per coin times satoshis; one element per day or slot. */
export interface Margins {
  readonly inProfit: Float64Array
  readonly inLoss: Float64Array
  readonly profit: Float64Array
  readonly loss: Float64Array
}

export const createMargins = (length: number): Margins => ({
  inProfit: new Float64Array(length),
  inLoss: new Float64Array(length),
  profit: new Float64Array(length),
  loss: new Float64Array(length),
})

/** Adds satoshis that cost `paid` and are worth `price`, in USD per coin. */
export function addMargin(to: Margins, at: number, sats: number, paid: number, price: number): void {
  if (paid < price) {
    to.inProfit[at]! += sats
    to.profit[at]! += sats * (price - paid)
  } else if (paid > price) {
    to.inLoss[at]! += sats
    to.loss[at]! += sats * (paid - price)
  }
}
