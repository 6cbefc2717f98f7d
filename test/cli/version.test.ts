import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { coinstrata } from '#test/support/program.ts'

test('the program tells the version of its package', async () => {
  const { exitCode, stdout } = await coinstrata(['--version'])
  expect(exitCode).toBe(0)
  expect(readFileSync('package.json', 'utf8')).toContain(`"version": "${stdout.trim()}"`)
})
