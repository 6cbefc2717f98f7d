import { expect, it } from 'vitest'
import { AddressEvents } from '#compute/addresses/address-events.ts'
import { scriptTypes } from '#contract/kinds.ts'
import { measureEvents } from './support/measure-events.ts'

it('an address comes back after a year from 365 days on, and after five from 1,825', () => {
  const firstDay = 15_000
  const type = scriptTypes.indexOf('p2wpkh')
  const idleDays = [364, 365, 1824, 1825]
  const events = new AddressEvents()
  for (const [i, idle] of idleDays.entries()) {
    for (const day of [firstDay, firstDay + idle]) events.add(day, day, type, i, 1, 1e8)
  }
  const price = new Float64Array(1826).fill(100)
  const measures = measureEvents(events.words, { sample: { modulus: 1, residue: 0 }, firstDay, price, cost: price }, {})
  const comeBack = (name: string) => idleDays.map((day) => measures.get(name)![day]!.value)
  expect(comeBack('reactivated_1y')).toEqual([0, 1, 1, 1])
  expect(comeBack('reactivated_5y')).toEqual([0, 0, 0, 1])
})
