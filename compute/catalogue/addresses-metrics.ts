import { addressTypes, bandNames, boundNames, usdBounds, usdNames } from '#contract/balance-measures.ts'
import type { ColumnName } from '#contract/tables/table.ts'
import type { tables } from '#contract/tables/tables.ts'
import { btc, count, type Description, type MetricRow, percent, ratio, usd } from './definition.ts'

const counted = 'docs/addresses.md says what counts as an address; addresses are not people.'

const active = (
  id: string,
  name: string,
  column: ColumnName<typeof tables.address_days>,
  description: string,
): MetricRow =>
  count(
    id,
    name,
    column.includes('_')
      ? { from: { table: 'address_days', column }, kind: 'level', endpoint: 'series' }
      : { from: { table: 'address_days', column }, kind: 'rate' },
    { description, variant: `Exact; ${counted}` },
  )

const groups = [
  ['active', 'Active addresses', 'that received or spent outputs'],
  ['sending', 'Sending addresses', 'that spent outputs'],
  ['receiving', 'Receiving addresses', 'that received outputs, of coinbases too'],
] as const

const activity = groups.flatMap(([group, name, what]) => [
  active(`${group}_addresses`, name, group, `Distinct addresses ${what} on the day.`),
  active(
    `${group}_addresses_7d`,
    `${name}, 7 days`,
    `${group}_7d`,
    `Distinct addresses ${what} within seven days, each counted once. On a Sunday, and with weekly values, those of the calendar week.`,
  ),
  active(
    `${group}_addresses_month`,
    `${name}, month to date`,
    `${group}_month`,
    `Distinct addresses ${what} since the first day of the month, each counted once. With monthly values, those of the calendar month.`,
  ),
])

const variant =
  'An estimate from one address in 64 and all outputs of 10 BTC or more, unless the operator counts all; /v1/addresses/estimates has its 95 % interval. docs/addresses.md says what counts as an address.'
const derivedVariant = 'Made of estimates, unless the operator counts all addresses.'

/** A metric from the rows of `address_balances` with measure `key`. */
const balance = (unit: typeof count, id: string, name: string, key: string, row: Description): MetricRow =>
  unit(
    id,
    name,
    { from: { table: 'address_balances', column: 'value', key }, kind: 'level', endpoint: 'series' },
    { variant, whole: false, ...row },
  )

const inBtc = (name: string): string => name.replace('_', '.').replace('1k', '1,000').replace('10k', '10,000')
const bandText = (band: string): string => {
  const [from, to] = band.split(/_to_|_plus$/) as [string, string]
  if (from === '0') return `less than ${inBtc(to)} BTC`
  return to === '' ? `${inBtc(from)} BTC or more` : `${inBtc(from)} to ${inBtc(to)} BTC`
}

/** Number of addresses that hold some amount, and their coins. */
const holders = (id: string, text: string, key: string): MetricRow[] => [
  balance(count, `addresses_${id}`, `Addresses with ${text}`, key, {
    description: `Number of addresses that hold ${text}.`,
  }),
  balance(btc, `supply_addresses_${id}`, `Supply of addresses with ${text}`, `supply_${key}`, {
    description: `Coins of the addresses that hold ${text}.`,
  }),
]

const thresholds = boundNames
  .slice(1)
  .flatMap((bound) => holders(`over_${bound}_btc`, `${inBtc(bound)} BTC or more`, `over_${bound}`))

const usdThresholds = usdNames.map((name, i): MetricRow => {
  const text = `${usdBounds[i]!.toLocaleString('en-US')} USD or more`
  return balance(count, `addresses_over_${name}_usd`, `Addresses with ${text}`, `over_${name}_usd`, {
    description: `Number of addresses whose coins are worth ${text} at the close.`,
  })
})

const bandMetrics = bandNames.flatMap((band): MetricRow[] => {
  const [id, text] = [`${band}_btc`, bandText(band)]
  return [
    // The last band is also a threshold.
    ...(band.endsWith('_plus') ? [] : holders(id, text, `band_${band}`)),
    balance(
      usd,
      `realized_price_addresses_${id}`,
      `Realized price of addresses with ${text}`,
      `realized_price_band_${band}`,
      {
        dimension: 'USD per coin',
        description: `Mean price of the coins of addresses that hold ${text}, at the daily close of the day on which each was created.`,
      },
    ),
    ratio(`mvrv_addresses_${id}`, `MVRV of addresses with ${text}`, `price / realized_price_addresses_${id}`, {
      endpoint: 'series',
      description: `Price over the realized price of the addresses that hold ${text}.`,
      variant: derivedVariant,
    }),
  ]
})

/** Coins of a balance band if they became more within 30 days. */
const accumulated = bandNames.map((band) => {
  const supply = `supply_addresses_${band.replace(/^(.*)_plus$/, 'over_$1')}_btc`
  return `if(diff(${supply}, 30) > 0, ${supply}, 0)`
})

const ofAccumulation =
  'Outputs of dust and of coinbases count, and so do exchanges and addresses at rest for years; Glassnode leaves out all of these, the last after seven years.'

const spendShowed = 'a spend has shown: their own, or that of the other address of the same key (P2PKH and P2WPKH)'
const onlyIfAll = 'Only known if all addresses are counted'
const tooLow =
  'read from a histogram, so it can be too low by 9 % of itself, and by 0.1 percentage points where balances differ as on mainnet.'

const neither =
  'A cost within a billionth of the close is equal to it: in neither profit nor loss, as at Glassnode; IntoTheBlock says "at the money".'

export const addresses: readonly MetricRow[] = [
  ...activity,
  balance(count, 'funded_addresses', 'Funded addresses', 'over_0', {
    description: 'Number of addresses that hold coins.',
  }),
  balance(count, 'total_addresses', 'Addresses ever used', 'ever', {
    description: 'Number of addresses that ever received an output with a value.',
  }),
  balance(count, 'addresses_in_profit', 'Addresses in profit', 'in_profit', {
    description:
      'Number of addresses whose coins had cost less on average, at the closes of the days on which they were created, than the close.',
    variant: `${variant} ${neither}`,
  }),
  balance(count, 'addresses_in_loss', 'Addresses in loss', 'in_loss', {
    description:
      'Number of addresses whose coins had cost more on average, at the closes of the days on which they were created, than the close.',
    variant: `${variant} ${neither}`,
  }),
  percent('addresses_in_profit_percent', 'Addresses in profit, share', '100 * addresses_in_profit / funded_addresses', {
    endpoint: 'series',
    variant: derivedVariant,
    description: 'Share of the funded addresses that are in profit.',
  }),
  balance(count, 'accumulation_addresses', 'Accumulation addresses', 'accumulating', {
    description:
      'Number of funded addresses that received two outputs or more with a value, and never spent one, with or without.',
    variant: `${ofAccumulation} ${variant}`,
  }),
  balance(btc, 'supply_accumulation_addresses', 'Supply of accumulation addresses', 'supply_accumulating', {
    description: `Coins of addresses that received two outputs or more and never spent one. ${onlyIfAll}.`,
    variant: ofAccumulation,
  }),
  ratio('accumulation_trend_score', 'Accumulation trend score', `(${accumulated.join(' + ')}) / circulating_supply`, {
    endpoint: 'series',
    description:
      'Fraction of the supply in balance bands of addresses whose coins became more within 30 days: near 1 if large holders accumulate, near 0 if they distribute.',
    variant: `By bands of powers of ten; an address that crosses a bound takes its coins along. Glassnode scores entities without exchanges and miners, by a formula that it does not publish. ${derivedVariant}`,
    source: 'Glassnode, 2021',
  }),
  balance(count, 'operationally_exposed_addresses', 'Operationally exposed addresses', 'operationally_exposed', {
    description: `Number of funded P2PKH, P2SH, P2WPKH and P2WSH addresses whose public key or script ${spendShowed}.`,
  }),
  balance(
    btc,
    'supply_operationally_exposed_addresses',
    'Supply of operationally exposed addresses',
    'supply_operationally_exposed',
    { description: `Coins of P2PKH, P2SH, P2WPKH and P2WSH addresses whose public key or script ${spendShowed}.` },
  ),
  balance(btc, 'total_exposed_supply', 'Exposed supply', 'supply_total_exposed', {
    description:
      'Coins whose public key or script is known: in outputs that show a key (P2PK, bare multisig, P2TR), or because a spend has shown it. Often called quantum-vulnerable.',
  }),
  percent('total_exposed_supply_percent', 'Exposed supply, share', '100 * total_exposed_supply / circulating_supply', {
    endpoint: 'series',
    variant: derivedVariant,
    description: 'Share of the supply whose public key or script is known.',
  }),
  btc('address_balance_mean', 'Mean balance of addresses', 'circulating_supply / funded_addresses', {
    endpoint: 'series',
    variant: derivedVariant,
    description: 'Supply over the number of funded addresses.',
  }),
  balance(btc, 'address_balance_median', 'Median balance of addresses', 'median', {
    description: `Balance that half of the funded addresses exceed. ${onlyIfAll}; read from a histogram, so it can be off by 9 %.`,
  }),
  balance(ratio, 'address_gini', 'Gini coefficient of balances', 'gini', {
    description: `How unequal the balances of addresses are: 0 if all hold the same, near 1 if few hold all. ${onlyIfAll}; read from a histogram, so it can be 0.022 too low, and 0.001 where balances differ as on mainnet.`,
    source: 'Corrado Gini, 1912',
  }),
  balance(ratio, 'address_herfindahl', 'Herfindahl index of balances', 'herfindahl', {
    description: 'Sum of the squared shares of addresses in the circulating supply: 1 if one holds all of it.',
    source: 'Albert Hirschman, 1945; Orris Herfindahl, 1950',
  }),
  balance(percent, 'supply_top_1_percent_addresses', 'Supply of the top 1 % of addresses, share', 'top_1_percent', {
    description: `Share of the supply that the hundredth of the funded addresses with the largest balances holds. ${onlyIfAll}; ${tooLow}`,
  }),
  balance(percent, 'supply_top_100_addresses_percent', 'Supply of the 100 largest addresses, share', 'top_100', {
    description: `Share of the supply that the 100 addresses with the largest balances hold. ${onlyIfAll}; ${tooLow}`,
  }),
  balance(count, 'new_addresses', 'New addresses', 'new', {
    kind: 'flow',
    description: 'Addresses that received an output with a value for the first time.',
  }),
  balance(count, 'newly_funded_addresses', 'Newly funded addresses', 'newly_funded', {
    kind: 'flow',
    description: 'Addresses that held nothing before the day and hold coins after it.',
  }),
  balance(count, 'emptied_addresses', 'Emptied addresses', 'emptied', {
    kind: 'flow',
    description: 'Addresses that held coins before the day and hold none after it.',
  }),
  ...(
    [
      ['1y', 'a year', 'year'],
      ['5y', 'five years', 'five years'],
    ] as const
  ).map(([span, after, before]) =>
    balance(count, `reactivated_addresses_${span}`, `Addresses reactivated after ${after}`, `reactivated_${span}`, {
      kind: 'flow',
      description: `Addresses that received or spent a value on the day, and not in the ${before} before it.`,
    }),
  ),
  ...addressTypes.map((type) => {
    const name = type.toUpperCase().replace('WITNESS_OTHER', 'other witness')
    return balance(count, `funded_addresses_${type}`, `Funded addresses: ${name}`, `type_${type}`, {
      description: `Number of addresses of type ${name} that hold coins.`,
    })
  }),
  ...thresholds,
  ...usdThresholds,
  ...bandMetrics,
]
