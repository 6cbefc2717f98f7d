import { formatCount } from '#base/quantities.ts'
import type { CoinProof } from './coin-proof.ts'

export const describeProved = (proved: { readonly blocks: number; readonly of: number } | null): string =>
  proved
    ? `${formatCount(proved.blocks)} of ${formatCount(proved.of)} blocks`
    : 'unknown until the next "coinstrata update"'

export const describeCoinProof = ({ coins, height, date }: CoinProof): string =>
  `${formatCount(coins)} coins after block ${formatCount(height)} (${date})`
