import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { withCodes } from '#root/docs/write-operate.ts'

const page = readFileSync(path.join(import.meta.dirname, '../../docs/operate.md'), 'utf8')

test('the page for operators has every error code and every problem: run "npm run docs:text"', () => {
  expect(withCodes(page) === page).toBe(true)
  expect(page).toContain('| `disk_full` | 3 | There is no space left on the disk. | Free some space')
  expect(page).toContain('| `tip_old` | Check that the node runs and has newer blocks (`coinstrata doctor`)')
})
