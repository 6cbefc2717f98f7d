import {
  addressTypes,
  balanceMeasures,
  bandNames,
  boundNames,
  usdBounds,
  usdNames,
} from '#contract/balance-measures.ts'
import type { MetricKind } from '#contract/metric-kinds.ts'
import type { ColumnName } from '#contract/tables/table.ts'
import type { tables } from '#contract/tables/tables.ts'
import { btc, count, type Measured, type MetricRow, percent, ratio, usd } from './definition.ts'

const notPeople = 'Addresses are not people: one may have many, and an exchange has one for many.'
const counted =
  'Addresses of all script types but bare multisig and unknown ones; a public key that is paid directly counts in both its forms as one.'

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
    { description, variant: `Exact. ${counted} ${notPeople}` },
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

const estimated =
  'An estimate from one address in 64, unless the operator counts all; /v1/addresses/estimates has its 95 % interval. docs/addresses.md says what counts as an address.'

/** A row of `address_balances`; `text` begins its description. */
const estimate = (key: string, kind: MetricKind): Measured => ({
  ...{ from: { table: 'address_balances', column: 'value', key }, kind, endpoint: 'series' },
})
const described = (description: string) => ({ description, variant: estimated, whole: false })

const priceOf = (description: string) => ({ ...described(description), dimension: 'USD per coin' })

const inBtc = (name: string): string => name.replace('_', '.').replace('1k', '1,000').replace('10k', '10,000')
const bandText = (band: string): string => {
  const [from, to] = band.split(/_to_|_plus$/) as [string, string]
  if (from === '0') return `less than ${inBtc(to)} BTC`
  return to === '' ? `${inBtc(from)} BTC or more` : `${inBtc(from)} to ${inBtc(to)} BTC`
}
const bandId = (band: string): string => `${band}_btc`

const thresholds = boundNames.flatMap((bound, i): MetricRow[] => {
  if (bound === '0') return []
  const text = `${inBtc(bound)} BTC or more`
  return [
    count(
      `addresses_over_${bound}_btc`,
      `Addresses with ${text}`,
      estimate(balanceMeasures.over[i]!, 'level'),
      described(`Number of addresses that hold ${text}.`),
    ),
    btc(
      `supply_addresses_over_${bound}_btc`,
      `Supply of addresses with ${text}`,
      estimate(balanceMeasures.supplyOver[i]!, 'level'),
      described(`Coins of the addresses that hold ${text}.`),
    ),
  ]
})

const usdThresholds = usdNames.map((name, i): MetricRow => {
  const text = `${usdBounds[i]!.toLocaleString('en-US')} USD or more`
  return count(
    `addresses_over_${name}_usd`,
    `Addresses with ${text}`,
    estimate(balanceMeasures.overUsd[i]!, 'level'),
    described(`Number of addresses whose coins are worth ${text} at the close.`),
  )
})

const bandMetrics = bandNames.flatMap((band, i): MetricRow[] => {
  const [id, text] = [bandId(band), bandText(band)]
  // The last band is also a threshold.
  const sums: MetricRow[] = band.endsWith('_plus')
    ? []
    : [
        count(
          `addresses_${id}`,
          `Addresses with ${text}`,
          estimate(balanceMeasures.band[i]!, 'level'),
          described(`Number of addresses that hold ${text}.`),
        ),
        btc(
          `supply_addresses_${id}`,
          `Supply of addresses with ${text}`,
          estimate(balanceMeasures.supplyBand[i]!, 'level'),
          described(`Coins of the addresses that hold ${text}.`),
        ),
      ]
  return [
    ...sums,
    usd(
      `realized_price_addresses_${id}`,
      `Realized price of addresses with ${text}`,
      estimate(balanceMeasures.priceBand[i]!, 'level'),
      priceOf(
        `Mean price of the coins of addresses that hold ${text}, at the daily close of the day on which each was created.`,
      ),
    ),
    ratio(`mvrv_addresses_${id}`, `MVRV of addresses with ${text}`, `price / realized_price_addresses_${id}`, {
      endpoint: 'series',
      description: `Price over the realized price of the addresses that hold ${text}.`,
      variant: estimated,
    }),
  ]
})

const events = {
  new: ['new_addresses', 'New addresses', 'Addresses that received an output for the first time.'],
  newly_funded: [
    'newly_funded_addresses',
    'Newly funded addresses',
    'Addresses that held nothing before the day and hold coins after it.',
  ],
  emptied: [
    'emptied_addresses',
    'Emptied addresses',
    'Addresses that held coins before the day and hold none after it.',
  ],
  reactivated_1y: [
    'reactivated_addresses_1y',
    'Addresses reactivated after a year',
    'Addresses that were active on the day, and not in the year before it.',
  ],
  reactivated_5y: [
    'reactivated_addresses_5y',
    'Addresses reactivated after five years',
    'Addresses that were active on the day, and not in the five years before it.',
  ],
} as const

const spendShowed = 'a spend has shown: their own, or that of the other address of the same key (P2PKH and P2WPKH)'

const habits: readonly MetricRow[] = [
  count(
    'funded_addresses',
    'Funded addresses',
    estimate(balanceMeasures.over[0]!, 'level'),
    described('Number of addresses that hold coins.'),
  ),
  count(
    'total_addresses',
    'Addresses ever used',
    estimate('ever', 'level'),
    described('Number of addresses that ever received an output with a value.'),
  ),
  count(
    'addresses_in_profit',
    'Addresses in profit',
    estimate('in_profit', 'level'),
    described(
      'Number of addresses whose coins had cost less on average, at the closes of the days on which they were created, than the close.',
    ),
  ),
  count(
    'addresses_in_loss',
    'Addresses in loss',
    estimate('in_loss', 'level'),
    described('Number of funded addresses that are not in profit.'),
  ),
  percent('addresses_in_profit_percent', 'Addresses in profit, share', '100 * addresses_in_profit / funded_addresses', {
    ...{ endpoint: 'series', variant: estimated, description: 'Share of the funded addresses that are in profit.' },
  }),
  count(
    'accumulation_addresses',
    'Accumulation addresses',
    estimate('accumulating', 'level'),
    described('Number of funded addresses that received two outputs or more and never spent one.'),
  ),
  btc(
    'supply_accumulation_addresses',
    'Supply of accumulation addresses',
    estimate('supply_accumulating', 'level'),
    described(
      'Coins of addresses that received two outputs or more and never spent one. Only known if all addresses are counted.',
    ),
  ),
  count(
    'operationally_exposed_addresses',
    'Operationally exposed addresses',
    estimate('operationally_exposed', 'level'),
    described(`Number of funded P2PKH, P2SH, P2WPKH and P2WSH addresses whose public key or script ${spendShowed}.`),
  ),
  btc(
    'supply_operationally_exposed_addresses',
    'Supply of operationally exposed addresses',
    estimate('supply_operationally_exposed', 'level'),
    described(`Coins of P2PKH, P2SH, P2WPKH and P2WSH addresses whose public key or script ${spendShowed}.`),
  ),
  btc(
    'total_exposed_supply',
    'Exposed supply',
    estimate('supply_total_exposed', 'level'),
    described(
      'Coins whose public key or script is known: in outputs that show a key (P2PK, bare multisig, P2TR), or because a spend has shown it. Often called quantum-vulnerable.',
    ),
  ),
  percent('total_exposed_supply_percent', 'Exposed supply, share', '100 * total_exposed_supply / circulating_supply', {
    ...{ endpoint: 'series', variant: estimated },
    description: 'Share of the supply whose public key or script is known.',
  }),
  btc('address_balance_mean', 'Mean balance of addresses', 'circulating_supply / funded_addresses', {
    ...{ endpoint: 'series', variant: estimated, description: 'Supply over the number of funded addresses.' },
  }),
  btc(
    'address_balance_median',
    'Median balance of addresses',
    estimate('median', 'level'),
    described(
      'Balance that half of the funded addresses exceed. Only known if all addresses are counted; read from a histogram, so it can be off by 9 %.',
    ),
  ),
  ratio('address_gini', 'Gini coefficient of balances', estimate('gini', 'level'), {
    ...described(
      'How unequal the balances of addresses are: 0 if all hold the same, near 1 if few hold all. Only known if all addresses are counted.',
    ),
    source: 'Corrado Gini, 1912',
  }),
  ratio('address_herfindahl', 'Herfindahl index of balances', estimate('herfindahl', 'level'), {
    ...described('Sum of the squared shares of addresses in the supply: 1 if one holds all of it.'),
    source: 'Albert Hirschman, 1945; Orris Herfindahl, 1950',
  }),
  percent(
    'supply_top_1_percent_addresses',
    'Supply of the top 1 % of addresses, share',
    estimate('top_1_percent', 'level'),
    described(
      'Share of the supply that the hundredth of the funded addresses with the largest balances holds. Only known if all addresses are counted.',
    ),
  ),
  percent(
    'supply_top_100_addresses_percent',
    'Supply of the 100 largest addresses, share',
    estimate('top_100', 'level'),
    described(
      'Share of the supply that the 100 addresses with the largest balances hold. Only known if all addresses are counted.',
    ),
  ),
]

export const addresses: readonly MetricRow[] = [
  ...activity,
  ...habits,
  ...Object.entries(events).map(([key, [id, name, description]]) =>
    count(id, name, estimate(key, 'flow'), described(description)),
  ),
  ...addressTypes.map((type, i) =>
    count(
      `funded_addresses_${type}`,
      `Funded addresses: ${type.toUpperCase().replace('WITNESS_OTHER', 'other witness')}`,
      estimate(balanceMeasures.type[i]!, 'level'),
      described(
        `Number of addresses of type ${type.toUpperCase().replace('WITNESS_OTHER', 'other witness')} that hold coins.`,
      ),
    ),
  ),
  ...thresholds,
  ...usdThresholds,
  ...bandMetrics,
]
