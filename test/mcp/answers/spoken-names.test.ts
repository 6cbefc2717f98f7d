import { expect, test } from 'vitest'
import { servedCohorts } from '#contract/served-cohorts.ts'
import { findCohort, findSpoken } from '#mcp/answers/spoken-names.ts'

const known = new Set([...servedCohorts, 'over_1y', 'under_6m', 'y2017', 'epoch_4', 'whales'])

test.each([
  ['LTH', 'lth'],
  ['Long-term holders', 'lth'],
  ['short term holder', 'sth'],
  ['taproot', 'p2tr'],
  ['native segwit coins', 'p2wpkh'],
  ['1 to 2 years', '1y_2y'],
  ['1-2y', '1y_2y'],
  ['coins aged 3–5 years', '3y_5y'],
  ['between 6 and 12 months', '6m_12m'],
  ['1 week to 1 month', '1w_1m'],
  ['24 hours', '24h'],
  ['10 years or more', '10y_plus'],
  ['10+ years', '10y_plus'],
  ['over 10 years', '10y_plus'],
  ['older than 1 year', 'over_1y'],
  ['less than 6 months old', 'under_6m'],
  ['more than 10 BTC', 'over_10_btc'],
  ['1,000+ BTC', 'over_1k_btc'],
  ['10-100 BTC', '10_100_btc'],
  ['under 1 bitcoin', 'under_1_btc'],
  ['created in 2017', 'y2017'],
  ['4th epoch', 'epoch_4'],
  ['Whales', 'whales'],
])('%s is cohort %s', (text, id) => expect(findCohort(text, known)).toBe(id))

test.each(['old', 'segwit', 'nothing such', '1 to 3 years'])('%s is no cohort', (text) =>
  expect(findCohort(text, known)).toBeUndefined(),
)

test('names are found without what their kind has in common, but only if one is meant', () => {
  const names = ['Tesla, Inc.', 'Block, Inc.', 'Strategy', 'El Salvador', 'Bitcoin Group SE', 'MARA Holdings']
  const find = (text: string) => findSpoken(text, names, (name) => [name])
  expect(find('Tesla Inc')).toBe('Tesla, Inc.')
  expect(find('tesla')).toBe('Tesla, Inc.')
  expect(find('the government of El Salvador')).toBe('El Salvador')
  expect(find('Mara')).toBe('MARA Holdings')
  expect(find('Apple')).toBeUndefined()
  const templates = ['hodl_waves', 'realized_cap_hodl_waves', 'mvrv_ratio', 'mvrv_z']
  const template = (text: string) => findSpoken(text, templates, (name) => [name])
  expect(template('HODL waves chart')).toBe('hodl_waves')
  expect(template('hodl')).toBeUndefined()
  expect(template('')).toBeUndefined()
})
