import { createColumns } from './number-columns.ts'

/**
 * Satoshis in profit and in loss, and their gain and loss in USD per coin × satoshis; one element
 * per day or slot.
 */
export type Margins = Readonly<Record<'inProfit' | 'inLoss' | 'profit' | 'loss', Float64Array>>

export const createMargins = (length: number): Margins =>
  createColumns(['inProfit', 'inLoss', 'profit', 'loss'], length)

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
