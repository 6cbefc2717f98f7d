import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serve } from '#test/api/support/test-server.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'
import { tableDifferences } from '#test/support/published.ts'
import { publishedChain } from '#test/support/published-chain.ts'

/**
 * A data folder may be below folders of any name, of which tools make something: columns, patterns,
 * quotes, variables.
 */

const folder = temporaryFolder('folder-names')
const { blocks: part } = await publishedChain(60)
const { blocks: whole } = await publishedChain(120)
const plain = path.join(folder, 'plain')
const prices = path.join(folder, 'prices.csv')
const series = path.join(folder, 'series.csv')
afterAll(() => rmSync(folder, { recursive: true }))

/** Everything that a user does in the first days; returns what the program printed of it. */
async function use(dataDir: string): Promise<string[]> {
  const run = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await coinstrata([...args, '--data-dir', dataDir], {
      environment: { BITCOIN_NETWORK: 'regtest' },
    })
    expect(exitCode, `${args[0]}: ${stderr}`).toBe(0)
    return stdout.replaceAll(dataDir, '').replaceAll(/generation \S+/g, 'generation')
  }
  await run('import', 'prices', prices)
  await run('update', '--blocksdir', part)
  await run('update', '--blocksdir', whole)
  return [await run('audit'), await run('agree', '--with', series), await run('backup', path.join(dataDir, 'saved.db'))]
}

const paths = [
  '/v1/prices?start_date=2011-02-01&limit=10',
  '/v1/series?metrics=price&limit=40',
  '/v1/blocks?limit=20',
  '/v1/metrics?limit=2',
]
async function readData(url: string): Promise<unknown> {
  const answer = await fetch(url)
  expect(answer.status, url).toBe(200)
  const { data } = await answer.json()
  return data
}

async function answers(dataDir: string): Promise<unknown[]> {
  const server = await serve(dataDir, { ACCESS: 'open' })
  try {
    return await Promise.all(paths.map(async (part) => readData(server.url + part)))
  } finally {
    await server.close()
  }
}

let printed: string[]
let answered: unknown[]
beforeAll(async () => {
  writeFileSync(prices, 'date,open,high,low,close\n2011-02-03,1,1,1,1\n2011-02-04,1,2,1,2\n')
  writeFileSync(series, 'date,price\n2011-02-03,1\n2011-02-04,2\n')
  printed = await use(plain)
  answered = await answers(plain)
})

const keys =
  'date time hour month height id hash metric cohort kind label source price close high value sats segment revision'
const asFolders = (value: (key: string) => string): string =>
  path.join(...keys.split(' ').map((key) => `${key}=${value(key)}`))

it.each([
  [
    'columns with values of their type, quotes and signs',
    path.join(
      asFolders((key) => (key === 'date' ? '2011-02-04' : '7')),
      `it's "so" $HOME %20 #1 ;&\\`,
    ),
  ],
  [
    'columns with other values, and what looks like patterns',
    path.join(
      asFolders(() => 'x'),
      '{c,d}/a,b/]/%2A',
    ),
  ],
  ['blanks, other scripts and 200 characters', path.join('two  blanks/é 通 ☃/ first', 'long'.repeat(50))],
])('%s in the names of folders change nothing', async (_, name) => {
  const dataDir = path.join(folder, name, 'data')
  expect(await use(dataDir)).toEqual(printed)
  // The comparison also reads with DuckDB, but by a plain name.
  const link = path.join(mkdtempSync(path.join(folder, 'link-')), 'data')
  symlinkSync(dataDir, link)
  expect(await tableDifferences(plain, link)).toEqual({})
  expect(await answers(dataDir)).toEqual(answered)
})
