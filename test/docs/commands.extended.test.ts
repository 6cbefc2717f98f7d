import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { dataDir, key, serveDemo, service } from '#test/mcp/support/demo-service.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { ofCoinstrata, shellCommands, wordsOf } from './support/pages.ts'

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

const run = promisify(execFile)
/**
 * Pages whose commands need no node and no store; the first ones create the account for the others.
 */
const atHome = ['docs/api.md', 'docs/accounts.md', 'docs/charts.md']

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
