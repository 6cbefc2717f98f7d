import { expect, it } from 'vitest'
import { ageBands } from '#render/request/age-bands.ts'

it('age bands are labelled with their ages, units once where both are the same', () => {
  expect(Object.entries(ageBands)).toEqual([
    ['24h', '< 24 h'],
    ['1d_1w', '1 d – 1 w'],
    ['1w_1m', '1 w – 1 m'],
    ['1m_3m', '1 – 3 m'],
    ['3m_6m', '3 – 6 m'],
    ['6m_12m', '6 – 12 m'],
    ['1y_2y', '1 – 2 y'],
    ['2y_3y', '2 – 3 y'],
    ['3y_5y', '3 – 5 y'],
    ['5y_7y', '5 – 7 y'],
    ['7y_10y', '7 – 10 y'],
    ['10y_plus', '> 10 y'],
  ])
})
