import { expect, test } from 'vitest'
import { compareWithVendor } from '#root/docs/agreement/comparison.ts'
import { references } from '#root/docs/agreement/references.ts'
import { readAgreement } from '#web/build/agreement.ts'

test('metric pages show every comparison with other vendors', () => {
  const shown = readAgreement()
  const all = references.flatMap(compareWithVendor)
  expect(Object.values(shown).flat().length).toBe(all.length)
  for (const { metric, vendor, days, firstDate: from, lastDate: to, reason: why = '' } of all) {
    expect(shown[metric]).toContainEqual(expect.objectContaining({ vendor, days, from, to, why }))
  }
  expect(shown.mvrv_z?.[0]).toMatchObject({ median: '5.4 %', greatest: '22 %' })
  expect(shown.realized_vol_1m?.[0]).toMatchObject({ median: '× 19.1', greatest: '× 19.1' })
})
