import { describe, test } from 'vitest'
import { browser } from '#test/support/browser.ts'
import { openPages } from './support/opened.ts'
import { expectUndone } from './support/workbench-steps.ts'

describe.skipIf(!browser)('in a real browser', () => {
  openPages()

  test.each([['Control+z', 'Control+Shift+Z']])(
    '%s undoes the steps of the workbench one by one, and %s does them again',
    expectUndone,
  )
})
