import { describe, expect, it } from 'vitest'
import { nodeSumsAgree } from '#compute/audit/overwritten.ts'
import { networks } from '#ingest/chain/networks.ts'

describe('the sums of a node', () => {
  it.each([
    [0, true],
    [91_721, true],
    [91_722, false],
    [91_800, false],
    [91_842, false],
    [91_879, false],
    [91_880, true],
    [900_000, true],
  ])('after block %d of mainnet can be compared: %s', (height, agree) => {
    expect(nodeSumsAgree(networks.mainnet, height)).toBe(agree)
  })

  it('can be compared anywhere on networks on which no coinbase was overwritten', () => {
    expect(nodeSumsAgree(networks.testnet4, 91_800)).toBe(true)
  })
})
