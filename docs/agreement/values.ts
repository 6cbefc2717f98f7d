/** A published series of the first days of mainnet, and ours of the same blocks. */
interface ValueComparison {
  /** `test/references/<file>.csv`, of `vendor`. */
  readonly file: 'stack-stats-2009' | 'coin-metrics-2009'
  readonly column: string
  /** Our metric or formula. */
  readonly ours: string
  readonly days: number
  readonly equal: number
  readonly reason?: string
}

export const valueVendors = { 'stack-stats-2009': 'stack-stats', 'coin-metrics-2009': 'Coin Metrics' } as const

/**
 * Days of the market on which the first output of the chain, which cannot be spent, is in each
 * band.
 */
const firstOutput = {
  '24h': 'market_age_days == 1',
  '1d_1w': 'market_age_days > 1 and market_age_days <= 7',
  '1w_1m': 'market_age_days > 7 and market_age_days <= 30',
  '1m_3m': 'market_age_days > 30',
}
const month = 'A month has 28 days there, and 30 here.'
const otherBlocks = 'It counts 19 blocks on 2009-01-09, on which there were 14.'

/**
 * What `coinstrata agree` finds for the first 4,522 blocks of mainnet; tested with these blocks.
 */
export const comparedValues: readonly ValueComparison[] = [
  ...[
    ['total_utxo_value', '100000000 * circulating_supply + 5000000000'],
    ['total_utxo_count', 'utxo_count + 1'],
  ].map(([column = '', ours = '']) => ({ file: 'stack-stats-2009', column, ours, days: 39, equal: 39 }) as const),
  ...Object.entries(firstOutput).flatMap(([band, days]): ValueComparison[] => {
    const name = band === '24h' ? 'under_1d' : band
    const found = band.includes('m') ? { equal: 27, reason: month } : { equal: 39 }
    return [
      [`utxo_value_${name}`, `100000000 * supply_${band} + 5000000000 * (${days})`],
      [`utxo_count_${name}`, `utxo_count_${band} + (${days})`],
    ].map(([column = '', ours = '']) => ({ file: 'stack-stats-2009', column, ours, days: 39, ...found }))
  }),
  ...(
    [
      ['BlkCnt', 'blocks_mined', 44, 42, `${otherBlocks} The first block is not counted.`],
      ['IssTotNtv', 'issuance', 38, 37, otherBlocks],
      ['SplyCur', 'circulating_supply', 44, 6, `${otherBlocks} These 250 BTC stay in its supply.`],
      ['TxCnt', 'tx_count', 44, 40, 'Two transactions of blocks with disordered times belong to the day beside.'],
      ['FeeTotNtv', 'fees', 44, 44, undefined],
    ] as const
  ).map(([column, ours, days, equal, reason]) => {
    return { file: 'coin-metrics-2009', column, ours, days, equal, ...(reason && { reason }) } as const
  }),
]
