const names: Readonly<Record<string, string>> = {
  market: 'Market',
  supply: 'Supply',
  valuation: 'Valuation',
  profit_and_loss: 'Profit and loss',
  coin_days: 'Coin days',
  blockchain: 'Blockchain and mining',
  addresses: 'Addresses',
  distribution: 'Cost distribution',
  cycles: 'Cycles',
  derivatives: 'Futures',
  etfs: 'ETFs',
  treasuries: 'Treasuries',
  own: 'Own metrics',
}

export const categoryName = (category: string): string => names[category] ?? category
