import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, test } from 'vitest'
import { createProgram } from '#root/cli/program.ts'
import { dataDir, key, serveDemo, service } from '#test/mcp/support/demo-service.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { codeBlocks, inlineCode, root, shellCommands } from './support/pages.ts'

/** Checks the commands of all pages of the documentation. */

const folder = temporaryFolder('commands')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isThere = (program: string): boolean => {
  try {
    execFileSync(program, [program === 'openssl' ? 'version' : '--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Commands that no test runs, with the reason. Those of `coinstrata` and `npm run` are at least
 * parsed.
 */
const notRun: readonly (readonly [RegExp, string])[] = [
  [/^docker /, 'it builds or starts containers'],
  [/^BITCOIN_NETWORK=main docker /, 'it builds or starts containers'],
  [
    /^(sudo -u postgres )?create(user|db) /,
    'it asks a PostgreSQL server for a password; test/support/postgres.ts makes one of its own',
  ],
  [
    /^kubectl |^cp deploy\/machines/,
    'it needs a cluster, or writes passwords; test/deploy/machines.test.ts reads what is applied',
  ],
  [/^systemctl |^cp deploy\/systemd/, 'it changes the system of this machine'],
  [/^git clone /, 'the address is that of the repository where the reader found the page'],
  [/^npm (ci|test|start)\b/, 'it installs or starts this checkout, or runs this very test'],
  [/^npm (pack|install) /, 'test/clients/typescript.extended.test.ts builds the client as the package is built'],
  [/^npm run (?!coinstrata)/, 'it checks, measures or writes this checkout'],
  [/^(cp -r deploy\/umbrel|\(cd )/, 'it needs a checkout of a store of apps'],
  [/^(export|mkdir) /, 'it has an effect on the commands after it alone'],
]

const ofCoinstrata = /^(?:[A-Z_]+=\S+ )*(?:npm run coinstrata -- |coinstrata )(?=[a-z])(.*)$/
const run = promisify(execFile)
/**
 * Pages whose commands need no node and no store; the first ones create the account for the others.
 */
const atHome = ['docs/api.md', 'docs/accounts.md', 'docs/charts.md']

/** Words of a command line without quotes; a substitution is one word. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/\$\([^)]*\)/g, 'x')
    .trim()
    .split(/\s+/)

test('each is run by a test, or it is said why not', () => {
  const taken = (text: string): boolean =>
    /^(curl|openssl) /.test(text) || ofCoinstrata.test(text) || notRun.some(([pattern]) => pattern.test(text))
  expect(shellCommands.filter(({ text }) => !taken(text))).toEqual([])
  const idle = notRun.filter(([pattern]) => !shellCommands.some(({ text }) => pattern.test(text)))
  expect(idle).toEqual([])
  // Other code is run by test/docs/examples.test.ts, test/readme.test.ts and others; these
  // languages are not run.
  const languages = new Set(codeBlocks.map(({ language }) => language))
  expect([...languages].sort()).toEqual(['', 'js', 'json', 'nginx', 'python', 'sh', 'sql', 'text', 'ts', 'yaml'])
})

test('commands of coinstrata have the names, arguments and flags that the program knows', () => {
  const nothing = { write: () => true }
  const mentioned = inlineCode.filter(({ text }) => !text.includes('…'))
  const commands = [...shellCommands, ...mentioned].filter(({ text }) => ofCoinstrata.test(text))
  expect(commands.length).toBeGreaterThan(60)
  const wrong = commands.flatMap(({ place, text }) => {
    let command = createProgram({ environment: {}, stdout: nothing, stderr: nothing }, () => {})
    let words = wordsOf(ofCoinstrata.exec(text)?.[1] ?? '')
    for (;;) {
      const next = command.commands.find((one) => one.name() === words[0] || one.aliases().includes(words[0] ?? ''))
      if (!next) break
      command = next
      words = words.slice(1)
    }
    const { operands, unknown } = command.parseOptions(words)
    const isFull = command.registeredArguments.at(-1)?.variadic || operands.length <= command.registeredArguments.length
    return command.parent && unknown.length === 0 && isFull ? [] : [`${place}: ${text}`]
  })
  expect(wrong).toEqual([])
})

test('commands of npm are scripts of the package', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  )
  const named = [...shellCommands, ...inlineCode].flatMap(({ place, text }) => {
    const [, script] = /^npm run ([\w:]+)/.exec(text) ?? []
    return script === undefined || script === 'lint' ? [] : [{ place, script }]
  })
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ script }) => scripts[script] === undefined)).toEqual([])
})

describe('on the simulated chain', () => {
  serveDemo()

  const curls = shellCommands.filter(({ text }) => text.startsWith('curl '))
  it.skipIf(!isThere('curl')).each(curls)('$place answers to $text', async ({ text }) => {
    const here = text
      .replace('http://127.0.0.1:3000', service.url)
      .replace('cs_…', key)
      // File name of a saved picture.
      .replace(/ -o \S+/, '')
      .replace('curl', "curl --silent --show-error --fail-with-body --write-out '%{stderr}%{http_code}'")
    const { stdout, stderr } = await run('bash', ['-c', here])
    // 201 where something is created.
    expect([stderr, stdout.length > 60]).toEqual([expect.stringMatching(/^20[01]$/), true])
  })

  const homes = atHome.flatMap((page) =>
    shellCommands.filter((command) => command.page === page && ofCoinstrata.test(command.text)),
  )
  it('accounts are made and charts are drawn', async () => {
    const said: string[] = []
    for (const { place, text } of homes) {
      const words = wordsOf(ofCoinstrata.exec(text)?.[1] ?? '')
      const here = words.map((word, i) => (words[i - 1] === '-o' ? path.join(folder, word) : word))
      const { exitCode, stdout, stderr } = await coinstrata([...here, '--data-dir', dataDir])
      expect(exitCode, `${place}: ${text}\n${stdout}${stderr}`).toBe(0)
      said.push(stdout)
    }
    const all = said.join('')
    expect(all).toMatch(/^cs_\w{20,}/m)
    expect(all).toMatch(/^http\S+#link=\S+$/m)
    expect(all).toContain('mvrv.png: ')
    expect(all).toContain('price.svg: ')
  })

  it.skipIf(!isThere('openssl'))('keys are made that sign generations', async () => {
    const commands = shellCommands.filter(({ text }) => text.startsWith('openssl '))
    await run('bash', ['-ec', commands.map(({ text }) => text).join('\n')], { cwd: folder })
    expect(readFileSync(path.join(folder, 'publish.pub'), 'utf8')).toMatch(/^-----BEGIN PUBLIC KEY-----/)
  })
})
