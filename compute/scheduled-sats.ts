import { type Network, subsidySats } from '#ingest/chain/networks.ts'

/** Satoshis allowed by the subsidy schedule up to a height (default: ever). */
export function scheduledSats(network: Network, tipHeight = Number.POSITIVE_INFINITY): number {
  let total = 0
  for (let height = 0; height <= tipHeight && subsidySats(network, height) > 0; height += network.halvingInterval) {
    total += Math.min(network.halvingInterval, tipHeight + 1 - height) * subsidySats(network, height)
  }
  return total
}
