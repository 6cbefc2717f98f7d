import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withSession } from '#sql/session.ts'
import { publishDemoChain } from '#test/support/demo-chain.ts'
import { temporaryFolder } from '#test/support/program.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** Each query of README with the table of answers that follows it. */
const examples = [...readme.matchAll(/```sql\n([\s\S]*?)```\n\n((?:\|.*\n)+)/g)].map(([, sql = '', table = '']) => {
  const [header = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return { title: /-- (.*)/.exec(sql)?.[1] ?? sql, sql, header, rows }
})

describe('README', () => {
  const folder = temporaryFolder('readme')
  const dataDir = path.join(folder, 'data')

  beforeAll(async () => {
    const { stderr, stdout } = await publishDemoChain(dataDir)
    expect(stderr).toContain('simulated chain with simulated prices')
    expect(stdout).toContain('made up: simulated chain, simulated prices')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('shows at least three queries', () => expect(examples.length).toBeGreaterThanOrEqual(3))

  it.each(examples)('gives the answer to: $title', async ({ sql, header, rows }) => {
    const text = sql.replaceAll("'data/", `'${dataDir}/`)
    const answers = await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
      const result = await connection.runAndReadAll(text)
      expect(result.columnNames()).toEqual(header)
      return result.getRowsJS()
    })
    const printed = answers.map((row) =>
      row.map((cell) => (cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell))),
    )
    expect(printed).toEqual(rows)
  })
})
