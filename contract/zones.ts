/** By metric: zones from the lowest on, and the publication that defines them. */
const table = `
mvrv | below 1: possible bottom; 1 to 3.7: between; 3.7 or more: possible top | Unified, https://homepage.gitbook.io/unified/type-of-information-provided/global-markets-and-onchain-data-provided-by-unified/mvrv-ratio
sth_mvrv | below 1: recent buyers at a loss; 1 or more: recent buyers in profit | Blocklens, https://docs.blocklens.co/metrics/valuation/sth-mvrv
mvrv_z | below 0: undervalued; 0 to 5: fair value; 5 to 7: overvalued; 7 or more: extremely overvalued | BTC Indicators, https://www.btcindicators.xyz/mvrv-z-score
nupl | below 0: bottom range; 0 to 0.75: between; 0.75 or more: top range | LookNode, https://www.looknode.com/en/chart/NUPL/
sopr | below 1: spent at a loss; 1 or more: spent in profit | CryptoQuant, https://dataguide.cryptoquant.com/utxo-data-indicators/spent-output-profit-ratio-sopr
asopr | below 1: spent at a loss; 1 or more: spent in profit | CryptoQuant, https://dataguide.cryptoquant.com/utxo-data-indicators/spent-output-profit-ratio-sopr/asopr-adjusted-sopr
lth_sopr | below 1: spent at a loss; 1 or more: spent in profit | Glassnode, https://studio.glassnode.com/charts/breakdowns.SoprByLthSth
sth_sopr | below 1: spent at a loss; 1 or more: spent in profit | Glassnode, https://studio.glassnode.com/charts/breakdowns.SoprByLthSth
supply_in_profit_percent | below 50: capitulation; 50 to 95: between; 95 or more: euphoria | DurdenBTC, https://durdenbtc.com/charts/btc-supply-in-profit
puell_multiple | below 0.5: market bottom; 0.5 to 4: between; 4 or more: market top | CryptoQuant, https://dataguide.cryptoquant.com/network-indicators/puell-multiple
mayer_multiple | below 1: below the 200-day mean; 1 to 2.4: above the 200-day mean; 2.4 or more: speculative bubble | Bitrawr, https://www.bitrawr.com/terminal/mayer-multiple
reserve_risk | below 0.002: deep value; 0.002 to 0.005: attractive; 0.005 to 0.01: neutral; 0.01 to 0.02: elevated; 0.02 to 0.03: high risk; 0.03 or more: extreme risk | Horizon Forecast, https://www.horizonforecast.com/charts/reserve-risk
avg_funding_rate | below 0: shorts pay longs; 0 to 0.0001: below the baseline of exchanges; 0.0001 or more: above the baseline of exchanges | R. Amirov, https://www.r8my.ch/blog/ir-funding-rate
rsi_14 | below 30: oversold; 30 to 70: between; 70 or more: overbought | J. W. Wilder, 1978, https://finance-pedia.com/glossary/relative-strength-index-rsi
`

/** `texts`: range and name; zones above the lowest begin at `bounds`. */
export const zonesByMetric = new Map(
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', zones = '', source = ''] = line.split(' | ')
      const texts = zones.split('; ')
      return [id, { texts, bounds: texts.slice(1).map(Number.parseFloat), source }]
    }),
)
export type Zones = NonNullable<ReturnType<typeof zonesByMetric.get>>
