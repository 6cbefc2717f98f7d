import { expect, test } from 'vitest'
import { ageBands, animalEnd, coinCohortEnd } from '#contract/cohorts.ts'
import { coinCohorts, groupCount, groupsOf } from '#contract/coin-cohorts.ts'
import { kinds, lostTypes } from '#contract/kinds.ts'

const groups = (id: string): readonly number[] => coinCohorts.find((cohort) => cohort.id === id)!.groups

test('ids of their metrics end as no others do', () => {
  for (const { id, aliases } of coinCohorts) {
    expect(coinCohortEnd.exec(`supply_${id}`)?.[0], id).toBe(`_${id}`)
    for (const alias of aliases) expect(`supply_${alias}`).toMatch(animalEnd)
  }
  for (const id of [...ageBands.map((band) => `supply_${band.id}`), 'supply_over_1y', 'supply_y2013', 'lth_supply']) {
    expect(id).not.toMatch(coinCohortEnd)
  }
})

test('sizes, types and origins each hold every kind that can be spent once', () => {
  const spendable = kinds.filter(({ scriptType }) => !lostTypes.includes(scriptType))
  const sizes = [...groups('under_10_btc'), ...groups('over_10_btc')]
  const types = 'p2pk p2pkh multisig p2sh p2wpkh p2wsh p2tr p2a witness_other other_scripts'.split(' ').flatMap(groups)
  const origins = [...groups('mined'), ...groups('moved')]
  expect([...sizes, ...types, ...origins].sort((a, b) => a - b)).toEqual([...Array(groupCount).keys()])
  for (const kind of spendable) {
    const own = groupsOf(kind)
    expect([sizes, types, origins].map((set) => own.filter((group) => set.includes(group)).length)).toEqual([1, 1, 1])
  }
})
