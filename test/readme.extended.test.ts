import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withSession } from '#sql/session.ts'
import { writeFolderLake } from '#store/lake/generations.ts'
import { publishDemoChain } from '#test/support/demo-chain.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { canImport, python } from '#test/support/python.ts'

const pages = ['README.md', 'docs/analyse.md', 'docs/lake.md'].map((name) => ({
  name,
  text: readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'),
}))

/** Queries of the pages, each with the result table that follows it. */
const queries = pages.flatMap(({ name, text }) =>
  [...text.matchAll(/(.*)\n\n```sql\n([\s\S]*?)```\n\n((?:\|.*\n)+)/g)].map(([, title = '', sql = '', table = '']) => {
    const [header = [], , ...rows] = table
      .trim()
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
    return { name, title, sql, header, rows }
  }),
)

/** Programs of the pages, each with its expected output. */
const programs = pages.flatMap(({ name, text }) =>
  [...text.matchAll(/```python\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)].map(([, program = '', printed = '']) => {
    const modules = [...program.matchAll(/^(?:import|from) (\w+)/gm)].map(([, module = '']) => module)
    return { name, program, printed, modules }
  }),
)

const withoutTrailingSpace = (text: string): string => text.replaceAll(/ +$/gm, '').trim()

describe('README, docs/analyse.md and docs/lake.md', () => {
  const folder = temporaryFolder('readme')
  const dataDir = path.join(folder, 'data')

  beforeAll(async () => {
    const { stderr, stdout } = await publishDemoChain(dataDir)
    expect(stderr).toContain('simulated chain with simulated prices')
    expect(stdout).toContain('simulated chain and prices')
    await writeFolderLake(dataDir)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('show queries and programs with their answers', () => {
    expect(queries.length).toBeGreaterThanOrEqual(5)
    expect(programs.length).toBeGreaterThanOrEqual(5)
  })

  it.each(queries)('$name gives the answer to: $title', async ({ sql, header, rows }) => {
    const text = sql.replaceAll("'data/", `'${dataDir}/`)
    const answers = await withSession({ temporaryFolder: path.join(folder, 'tmp') }, async (connection) => {
      const result = await connection.runAndReadAll(text)
      expect(result.columnNames()).toEqual(header)
      return result.getRowsJS()
    })
    const printed = answers.map((row) =>
      row.map((cell) => (cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell))),
    )
    // Names of generations begin with the time.
    const shown = rows.map((row) =>
      row.map((cell) => (cell.endsWith('…') ? expect.stringMatching(`^${cell.slice(0, -1)}`) : cell)),
    )
    expect(printed).toEqual(shown)
  })

  for (const { name, program, printed, modules } of programs) {
    it.skipIf(!canImport(...modules))(`${name} says what ${modules.join(', ')} prints`, { timeout: 120_000 }, () => {
      const output = execFileSync(python, ['-c', program], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
      expect(withoutTrailingSpace(output)).toBe(withoutTrailingSpace(printed))
    })
  }
})
