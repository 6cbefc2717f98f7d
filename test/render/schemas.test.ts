import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/** Runtime imports of a file, without types: packages, and files of the project. */
function imported(file: string): string[] {
  const names = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^']*? from )?'([^']+)'/gm)
  return [...names].map(([, name = '']) => {
    if (name.startsWith('#')) return name.slice(1).replace(/^root\//, '')
    return name.startsWith('.') ? path.join(path.dirname(file), name) : name
  })
}

test('composing and drawing take words and limits of the contract, but no schemas into a page', () => {
  const reached = new Set(globSync('render/{draw,request}/*.ts'))
  expect(reached.size).toBeGreaterThan(20)
  const found: string[] = []
  for (const file of reached) {
    for (const name of imported(file)) {
      if (name.endsWith('.ts')) reached.add(name)
      else if (name.startsWith('zod')) found.push(`${file} imports ${name}`)
    }
  }
  expect(reached).toContain('contract/chart-options.ts')
  expect(
    found,
    'render/ reaches these: let it import types alone, or move plain values into a file of their own',
  ).toEqual([])
})
