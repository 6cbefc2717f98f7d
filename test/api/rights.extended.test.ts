import { isoDate } from '#base/days.ts'
import { firstDay } from './support/served-chain.ts'
import { before, serveTiers, testLatestOfCohorts, testVisibleRows } from './support/visible-rows.ts'

serveTiers()

testLatestOfCohorts((place) => place % 5 !== 0)

testVisibleRows([
  {},
  { limit: '1' },
  { limit: '7' },
  { start_date: isoDate(firstDay) },
  { start_date: isoDate(firstDay), end_date: before(400) },
  { start_date: before(85), end_date: before(70) },
  { start_date: before(10) },
  { end_date: before(5), limit: '3' },
])
