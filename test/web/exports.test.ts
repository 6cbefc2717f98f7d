import { describe, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { base, charts, expectSaved } from './support/exported-charts.ts'
import { openPages } from './support/opened.ts'

describe.skipIf(!browser)('a chart of every kind', { timeout: 120_000 }, () => {
  openPages({ ACCESS: 'open', BASE_PATH: base })

  test.each(Object.entries(charts).slice(0, 1))(
    'saves what it draws, and its programs read the same: %s',
    (_, { chart, file }) => expectSaved(chart, file),
  )
})
