import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { defaultNodeDatadir, readSettings } from '#root/config.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'

const folder = temporaryFolder('settings')
afterAll(() => rmSync(folder, { recursive: true }))

describe('settings', () => {
  test('take an empty variable for one that is not set', () => {
    const names = Object.keys(readSettings({}, {}))
    expect(names).toContain('SIMULATED_SEED')
    const empty = Object.fromEntries([...names, 'METRICS_PORT', 'PUBLIC_URL'].map((name) => [name, '']))
    expect(readSettings({}, empty)).toEqual(readSettings({}, {}))
    const { DATA_DIR, PORT, METRICS_PORT, HOST, LOG_LEVEL } = readSettings({}, empty)
    expect(DATA_DIR).toBe(path.resolve('data'))
    expect([PORT, METRICS_PORT, HOST, LOG_LEVEL]).toEqual([3000, undefined, '127.0.0.1', 'info'])
  })

  test('look for a node where Bitcoin Core keeps its data on each system', () => {
    const roaming = path.join(folder, 'Roaming')
    const variables = { HOME: '/home/me', APPDATA: roaming, LOCALAPPDATA: path.join(folder, 'Local') }
    expect(defaultNodeDatadir(variables, 'linux')).toBe('/home/me/.bitcoin')
    expect(defaultNodeDatadir(variables, 'darwin')).toBe('/home/me/Library/Application Support/Bitcoin')
    expect(defaultNodeDatadir(variables, 'win32')).toBe(path.join(folder, 'Local', 'Bitcoin'))
    mkdirSync(path.join(roaming, 'Bitcoin'), { recursive: true })
    expect(defaultNodeDatadir(variables, 'win32')).toBe(path.join(roaming, 'Bitcoin'))
  })

  test('prefer a flag to the environment', () => {
    expect(readSettings({ PORT: '0', HOST: undefined }, { PORT: '5', HOST: '::1' })).toMatchObject({
      PORT: 0,
      HOST: '::1',
    })
  })

  test.each([
    ['PORT', 'abc', "PORT: Invalid input: expected number; it is 'abc'"],
    ['PORT', '99999', "; it is '99999'"],
    ['LOG_LEVEL', 'loud', "; it is 'loud'"],
    ['MEMORY_LIMIT', '1 GB', "MEMORY_LIMIT: must look like 1GB or 800MB; it is '1 GB'"],
  ])('show what %s was given', (name, text, message) => {
    expect(() => readSettings({}, { [name]: text })).toThrow(message)
  })

  test.each([
    ['TOOL_SERVER_SECRET', 'hunter2'],
    ['DATABASE_URL', 'mysql://ann:hunter2'],
    ['PUBLIC_URL', 'https://me:hunter2@example.com'],
  ])('never show %s', (name, text) => {
    expect(() => readSettings({}, { [name]: text })).toThrow(name)
    expect(() => readSettings({}, { [name]: text })).not.toThrow('hunter2')
  })

  test.each([
    ['--data-dir', 'status'],
    ['--datadir', 'update'],
    ['--port', 'start'],
  ])('refuse an empty %s', async (flag, command) => {
    const { exitCode, stderr } = await coinstrata([command, flag, ''], { environment: { DATA_DIR: folder } })
    expect(stderr).toContain(`${flag} is empty [invalid_argument]\nWhat to do: give ${flag} a value`)
    expect(exitCode).toBe(2)
  })

  test('are described by --help as in docs/settings.md', async () => {
    const { stdout } = await coinstrata(['start', '--help'])
    const words = stdout.replaceAll(/\s+/g, ' ')
    expect(words).toContain(
      '--network <name> network of the node: mainnet, testnet3, testnet4, signet or regtest; main and test, as Bitcoin Core calls the first two, mean the same (default mainnet) [BITCOIN_NETWORK]',
    )
    expect(words).toContain(
      "--datadir <folder> the node's data directory; by default that of Bitcoin Core on this system, such as ~/.bitcoin, if it exists [BITCOIN_DATADIR]",
    )
  })
})
