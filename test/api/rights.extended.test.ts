import { isoDate } from '#base/days.ts'
import { firstDay } from './support/served-chain.ts'
import { before, serveTiers, testVisibleRows } from './support/visible-rows.ts'

serveTiers()

testVisibleRows([
  { limit: '1' },
  { start_date: isoDate(firstDay), end_date: before(400) },
  { start_date: before(85), end_date: before(70) },
  { start_date: before(10) },
  { end_date: before(5), limit: '3' },
])
