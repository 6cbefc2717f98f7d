import { expect, it } from 'vitest'
import { ageBands } from '#render/request/age-bands.ts'

it('age bands are labelled with their ages, units once where both are the same', () => {
  const labels = ageBands('supply_percent').map(({ id, label }) => [id, label])
  expect(labels).toEqual([
    ['supply_percent_24h', '< 24 h'],
    ['supply_percent_1d_1w', '1 d – 1 w'],
    ['supply_percent_1w_1m', '1 w – 1 m'],
    ['supply_percent_1m_3m', '1 – 3 m'],
    ['supply_percent_3m_6m', '3 – 6 m'],
    ['supply_percent_6m_12m', '6 – 12 m'],
    ['supply_percent_1y_2y', '1 – 2 y'],
    ['supply_percent_2y_3y', '2 – 3 y'],
    ['supply_percent_3y_5y', '3 – 5 y'],
    ['supply_percent_5y_7y', '5 – 7 y'],
    ['supply_percent_7y_10y', '7 – 10 y'],
    ['supply_percent_10y_plus', '> 10 y'],
  ])
})
