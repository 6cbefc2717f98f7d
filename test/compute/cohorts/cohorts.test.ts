import { describe, expect, it } from 'vitest'
import { parseDay } from '#base/days.ts'
import { ageBands, type Cohort, listCohorts, longTermWeight } from '#compute/cohorts/cohorts.ts'

/** One block a day from 2009-12-30 on, and a halving every ten blocks. */
const firstDay = parseDay('2009-12-30')
const days = Int32Array.from({ length: 25 }, (_, i) => firstDay + i)
const cohorts = listCohorts({ days }, 10, firstDay + 23)
const byId: ReadonlyMap<string, Cohort> = new Map(cohorts.map((cohort) => [cohort.id, cohort]))

const holds = (cohort: Cohort | undefined, age: number): boolean =>
  cohort?.kind === 'age' && age >= cohort.lower && age < cohort.upper

describe('cohorts', () => {
  it('have the ids that users know, each once', () => {
    const ids =
      'all lth sth lth_smooth sth_smooth 24h 1d_1w 1w_1m 1m_3m 3m_6m 6m_12m 1y_2y 2y_3y 3y_5y 5y_7y 7y_10y 10y_plus ' +
      'over_1d over_1w under_1w over_1m under_1m over_3m under_3m over_6m under_6m over_1y under_1y over_2y ' +
      'under_2y over_3y under_3y over_4y under_4y over_5y under_5y over_7y under_7y under_10y y2009 y2010 ' +
      'epoch_1 epoch_2 epoch_3 ' +
      '0_sats 1_1k_sats 1k_10k_sats 10k_100k_sats 100k_1m_sats 1m_10m_sats 10m_100m_sats 1_10_btc 10_100_btc 100_1k_btc ' +
      '1k_10k_btc 10k_100k_btc 100k_plus_btc over_1k_sats under_1k_sats over_10k_sats under_10k_sats over_100k_sats ' +
      'under_100k_sats over_1m_sats under_1m_sats over_10m_sats under_10m_sats over_1_btc under_1_btc over_10_btc ' +
      'under_10_btc over_100_btc under_100_btc over_1k_btc under_1k_btc over_10k_btc under_10k_btc under_100k_btc ' +
      'p2pk p2pkh multisig p2sh p2wpkh p2wsh p2tr p2a witness_other other_scripts ' +
      'exposed exposed_over_1y exposed_over_5y exposed_over_10y mined mined_over_1y mined_over_5y mined_over_10y moved'
    expect(cohorts.map(({ id }) => id)).toEqual(ids.split(' '))
  })

  it('put every age into exactly one of the twelve bands', () => {
    for (let age = 0; age < 8000; age++) {
      expect(ageBands.filter((band) => holds(band, age))).toHaveLength(1)
    }
    expect(ageBands).toHaveLength(12)
  })

  it.each([
    ['24h', 0, 0],
    ['1d_1w', 1, 6],
    ['1w_1m', 7, 29],
    ['1m_3m', 30, 89],
    ['3m_6m', 90, 179],
    ['6m_12m', 180, 364],
    ['1y_2y', 365, 729],
    ['2y_3y', 730, 1094],
    ['3y_5y', 1095, 1824],
    ['5y_7y', 1825, 2554],
    ['7y_10y', 2555, 3649],
    ['10y_plus', 3650, 9999],
    ['sth', 0, 154],
    ['lth', 155, 9999],
    ['under_1m', 0, 29],
    ['over_1m', 30, 9999],
    ['under_4y', 0, 1459],
    ['over_4y', 1460, 9999],
  ])('%s holds ages from %d to %d', (id, youngest, oldest) => {
    const cohort = byId.get(id)
    expect(
      [youngest - 1, youngest, oldest, oldest + 1].map((age) => holds(cohort, age)),
      'a cohort with another edge is another cohort: give it an id of its own, and tell readers in CHANGELOG.md',
    ).toEqual([false, true, true, oldest === 9999])
  })

  it('by year hold the days of the calendar', () => {
    expect(byId.get('y2009')).toMatchObject({ from: parseDay('2009-01-01'), to: parseDay('2010-01-01') })
    expect(byId.get('y2010')).toMatchObject({ from: parseDay('2010-01-01'), to: parseDay('2011-01-01') })
  })

  it('by epoch begin on the day of a halving, and the newest is open', () => {
    expect(byId.get('epoch_1')).toMatchObject({ from: firstDay, to: firstDay + 10 })
    expect(byId.get('epoch_2')).toMatchObject({ from: firstDay + 10, to: firstDay + 20 })
    expect(byId.get('epoch_3')).toMatchObject({ from: firstDay + 20, to: Number.POSITIVE_INFINITY })
  })

  it('by epoch leave out a halving of the day that is not closed yet', () => {
    const ids = listCohorts({ days }, 10, firstDay + 19).map(({ id }) => id)
    expect(ids).toContain('epoch_2')
    expect(ids).not.toContain('epoch_3')
  })
})

describe('the smooth weight', () => {
  // 1 / (1 + e^(−0.1 (age − 155))), worked out by hand: e^0.1 = 1.1051709180756477, e^5.5 =
  // 244.69193226422038.
  it.each([
    [0, 0],
    [99, 0],
    [100, 1 / (1 + 244.69193226422038)],
    [154, 1 / (1 + 1.1051709180756477)],
    [155, 0.5],
    [156, 1.1051709180756477 / (1 + 1.1051709180756477)],
    [210, 244.69193226422038 / (1 + 244.69193226422038)],
    [211, 1],
    [5000, 1],
  ])('of %d days is %d', (age, weight) => {
    expect(longTermWeight(age)).toBeCloseTo(weight, 14)
  })
})
