import { expect, test } from 'vitest'
import { addresses } from '#compute/catalogue/addresses-metrics.ts'
import { findBalanceMeasure } from '#contract/balance-measures.ts'

const withoutIntervals = ['supply_accumulating', 'median', 'top_1_percent', 'top_100']

test('the measure of each metric of addresses that has intervals follows from its id', () => {
  for (const { id, from } of addresses) {
    const measure = from?.table === 'address_balances' ? from.key : undefined
    expect(findBalanceMeasure(id), id).toBe(withoutIntervals.includes(measure ?? '') ? undefined : measure)
  }
})
