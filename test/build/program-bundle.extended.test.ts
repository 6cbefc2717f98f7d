import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/program.ts'

const root = path.join(import.meta.dirname, '../..')
const checkout = temporaryFolder('bundle')
const source = path.join(checkout, 'cli/program.ts')

const run = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: checkout, encoding: 'utf8', env: { PATH: process.env.PATH, TZ: 'UTC' } })
const help = (): string => run('build/run-program.ts', '--help')
const bundle = (): string =>
  run('--input-type=module', '--eval', `await (await import('${checkout}/build/program-bundle.ts')).bundleCheckout()`)

/** Marks the text of a file without a change of its size. */
function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  expect(to).toHaveLength(from.length)
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

beforeAll(() => {
  const unneeded = /^(\.git|\.cache|node_modules|test|bench|docs|deploy|dist|web)$/
  for (const name of readdirSync(root).filter((one) => !unneeded.test(one))) {
    cpSync(path.join(root, name), path.join(checkout, name), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'))
  bundle()
})
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

test('the bundle runs until a source changes, also to an older one', () => {
  const bundled = globSync('.cache/program/*.js', { cwd: checkout })
    .map((name) => path.join(checkout, name))
    .find((file) => readFileSync(file, 'utf8').includes('Bitcoin on-chain analytics that anyone'))
  edit(bundled ?? '', 'Bitcoin on-chain', 'Bundled on-chain')
  expect(help()).toContain('Bundled on-chain')
  const { atimeMs, mtimeMs } = statSync(source)
  edit(source, 'Bitcoin on-chain', 'Changed on-chain')
  expect(help()).toContain('Changed on-chain')
  utimesSync(source, atimeMs / 1000, mtimeMs / 1000 - 60)
  expect(help()).toContain('Changed on-chain')
  rmSync(source)
  expect(help).toThrow('cli/program.ts')
  cpSync(path.join(root, 'cli/program.ts'), source)
  expect(help()).toContain('Bitcoin on-chain')
  bundle()
  expect(help()).toContain('Bitcoin on-chain')
})

test('the threads of the sources are files of the bundle', () => {
  const addresses = (pattern: string, folder: string): string[] =>
    globSync(pattern, { cwd: folder, exclude: ['{test,bench,docs,web,build,node_modules}/**'] }).flatMap((name) =>
      [
        ...readFileSync(path.join(folder, name), 'utf8').matchAll(
          /new URL\(["']([^"']+\.[jt]s)["'], import\.meta\.url\)/g,
        ),
      ].map(([, to = '']) => path.join(path.dirname(name), to)),
    )
  const bundled = path.join(checkout, '.cache/program')
  const threads = addresses('**/*.ts', root).map((name) => name.replaceAll('/', '-').replace(/ts$/, 'js'))
  expect(threads.length).toBeGreaterThan(5)
  expect(addresses('*.js', bundled).sort()).toEqual(threads.sort())
  for (const name of threads) expect(existsSync(path.join(bundled, name)), name).toBe(true)
})
