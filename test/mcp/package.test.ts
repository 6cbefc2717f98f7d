import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeApi } from './support/fake-api.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-package-'))
const installed = path.join(folder, 'node_modules/coinstrata')
const program = path.join(installed, 'dist/cli.js')

beforeAll(() => {
  // What npm install would do, but for the dependencies, which are those of the checkout.
  const options = { cwd: root, encoding: 'utf8' } as const
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder], options))
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', path.join(folder, filename), '-C', installed, '--strip-components=1'])
  symlinkSync(path.join(root, 'node_modules'), path.join(installed, 'node_modules'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the npm package', () => {
  test('runs as JavaScript below node_modules, and its tools answer over stdio', async () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    const health = { status: 'ok', generation: 'g1', tip_height: 1, tip_time: null, age_seconds: null }
    const api = await fakeApi((_, response) => response.end(JSON.stringify({ ...health, last_update: null })))
    const client = new Client({ name: 'test', version: '1' })
    const env = { COINSTRATA_URL: api.url }
    const options = { command: process.execPath, args: [program, 'mcp'], cwd: folder, env }
    await client.connect(new StdioClientTransport(options))
    try {
      expect(client.getServerVersion()).toMatchObject({ name: 'coinstrata', version })
      const { structuredContent } = await client.callTool({ name: 'get_status', arguments: {} })
      expect(structuredContent).toMatchObject({ generation: 'g1' })
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
})
