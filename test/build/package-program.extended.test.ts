import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Status } from '#contract/status.ts'
import { sourceStates } from '#root/build/run-program.ts'
import { fakeApi } from '../mcp/support/fake-api.ts'
import { makeChain, writeChain } from '../support/made-chain.ts'
import { coinstrata, temporaryFolder } from '../support/program.ts'
import { tableDifferences, tablesOf } from '../support/published.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = temporaryFolder('package')
const installed = path.join(folder, 'node_modules/coinstrata')
const program = path.join(installed, 'dist/cli.js')

beforeAll(() => {
  // Installs as npm would, but with the dependencies of the checkout.
  const options = { cwd: root, encoding: 'utf8' } as const
  const bundled = statSync(sourceStates).mtimeMs
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder], options))
  expect(statSync(sourceStates).mtimeMs, 'packing replaces the bundle that other programs run').toBe(bundled)
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', path.join(folder, filename), '-C', installed, '--strip-components=1'])
  symlinkSync(path.join(root, 'node_modules'), path.join(installed, 'node_modules'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the npm package', () => {
  test('runs as JavaScript below node_modules, and its tools answer over stdio', async () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    const status: Status = {
      state: { status: 'ok', problems: [], last_success: null, next_update: null, last_update: null },
      at: '2024-01-03T00:00:00.000Z',
      machine: null,
      generations: [],
      damaged: [],
      runs: [],
      due: [],
      sources: [],
      market: [{ table: 'prices', first_date: '2024-01-01', last_date: '2024-01-02', sources: [] }],
    }
    const api = await fakeApi((_, response) => response.end(JSON.stringify(status)))
    const client = new Client({ name: 'test', version: '1' })
    const env = { COINSTRATA_URL: api.url }
    const options = { command: process.execPath, args: [program, 'mcp'], cwd: folder, env }
    await client.connect(new StdioClientTransport(options))
    try {
      expect(client.getServerVersion()).toMatchObject({ name: 'coinstrata', version })
      const { structuredContent } = await client.callTool({ name: 'get_status', arguments: {} })
      expect(structuredContent).toMatchObject({ state: 'ok', market_data_until: { prices: '2024-01-02' } })
    } finally {
      await client.close()
      await api.close()
    }
  })

  test('holds what the program reads besides code', () => {
    const help = execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8', cwd: folder })
    expect(help).toContain('coinstrata')
    for (const asset of ['sql/statements/blocks.sql', 'render/fonts/Inter-Regular.ttf', 'data/reference/etfs.json']) {
      expect(readFileSync(path.join(installed, 'dist', asset))).toEqual(readFileSync(path.join(root, asset)))
    }
  })

  test('says in one line that Node is too old', () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(older)}`, program, '--version'],
      { encoding: 'utf8' },
    )
    expect(status).toBe(1)
    expect(stderr).toBe('coinstrata needs Node.js 24.15 or newer, but this is 20.20.2: install a newer Node.js\n')
  })

  test('publishes the same tables as a checkout, whatever the time zone', async () => {
    const blocks = path.join(folder, 'blocks')
    const prices = path.join(folder, 'prices.csv')
    await writeChain(blocks, makeChain(161), 160)
    const days = Array.from({ length: 60 }, (_, i) => {
      const date = new Date(Date.UTC(2011, 1, 2 + i)).toISOString().slice(0, 10)
      return [date, i + 1, i + 2, i + 0.7, i + 1.5].join()
    })
    writeFileSync(prices, ['date,open,high,low,close', ...days, ''].join('\n'))
    const [ofCheckout, ofPackage] = [path.join(folder, 'checkout'), path.join(folder, 'package')]
    const update = ['update', '--network', 'regtest', '--blocksdir', blocks]
    for (const args of [['import', 'prices', prices], update]) {
      const here = await coinstrata([...args, '--data-dir', ofCheckout])
      expect(here.exitCode, here.stderr).toBe(0)
      const { PATH, NODE_COMPILE_CACHE } = process.env
      const env = { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent', DATA_DIR: ofPackage, TZ: 'America/New_York' }
      execFileSync(process.execPath, [program, ...args], { env })
    }
    expect(tablesOf(ofPackage).length).toBeGreaterThan(15)
    expect(await tableDifferences(ofCheckout, ofPackage)).toEqual({})
  })
})
