import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createProgram } from '#root/cli/program.ts'
import { codeBlocks, inlineCode, ofCoinstrata, root, shellCommands, wordsOf } from './support/pages.ts'

/** Checks the commands of all pages of the documentation. */

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

test('each is run by a test, or it is said why not', () => {
  const taken = (text: string): boolean =>
    /^(curl|openssl) /.test(text) || ofCoinstrata.test(text) || notRun.some(([pattern]) => pattern.test(text))
  expect(shellCommands.filter(({ text }) => !taken(text))).toEqual([])
  const idle = notRun.filter(([pattern]) => !shellCommands.some(({ text }) => pattern.test(text)))
  expect(idle).toEqual([])
  // Other code is run by test/docs/examples.extended.test.ts, test/readme.extended.test.ts and
  // others; these languages are not run.
  const languages = new Set(codeBlocks.map(({ language }) => language))
  expect([...languages].sort()).toEqual([
    '',
    'html',
    'js',
    'json',
    'nginx',
    'python',
    'sh',
    'sql',
    'text',
    'ts',
    'yaml',
  ])
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
