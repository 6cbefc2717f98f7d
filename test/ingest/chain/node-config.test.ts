import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { locateSource, type SourceSettings } from '#ingest/chain/locate-source.ts'
import { type NetworkName, networks } from '#ingest/chain/networks.ts'
import { readNodeConfig } from '#ingest/chain/node-config.ts'

let datadir: string
beforeEach(() => {
  datadir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-node-config-'))
})
afterEach(() => rmSync(datadir, { recursive: true }))

const write = (text: string, file = 'bitcoin.conf'): void => writeFileSync(path.join(datadir, file), text)
const readConfig = (network: NetworkName = 'mainnet') => readNodeConfig(datadir, networks[network])

describe("the node's own configuration", () => {
  it('is none where there is no file', () => {
    expect(readConfig()).toBeUndefined()
  })

  it('says where the RPC listens and what to log in with', () => {
    write(
      '# mine\nserver=1\nrpcuser = ann # a comment\nrpcpassword=s3cret=\nrpcport=1234\nrpcbind=192.168.1.2\nprune=550\n',
    )
    expect(readConfig()).toEqual({
      blocksdir: undefined,
      rpcHost: '192.168.1.2',
      rpcPort: 1234,
      rpcLogin: { user: 'ann', password: 's3cret=' },
      cookieFile: undefined,
      hasRpcAuth: false,
      isPruned: true,
    })
  })

  it('takes the section of its network first, and ports outside of sections for mainnet alone', () => {
    write(
      'rpcport=1\nblocksdir=/all\n[main]\nrpcport=2\n[regtest]\nblocksdir=/own\nblocksdir=/later\n[test]\nrpcport=3\n',
    )
    expect([readConfig()?.rpcPort, readConfig()?.blocksdir]).toEqual([2, '/all'])
    expect([readConfig('regtest')?.rpcPort, readConfig('regtest')?.blocksdir]).toEqual([undefined, '/own'])
    expect([readConfig('testnet3')?.rpcPort, readConfig('signet')?.rpcPort]).toEqual([3, undefined])
  })

  it('takes a line that names its section', () => {
    write('regtest.rpcport=7\n')
    expect([readConfig('regtest')?.rpcPort, readConfig()?.rpcPort]).toEqual([7, undefined])
  })

  it('goes on in the files that it includes, which include no others', () => {
    write('includeconf=more.conf\nrpcuser=ann\n')
    write('rpcpassword=deep\nrpcuser=late\nincludeconf=deeper.conf\n', 'more.conf')
    write('rpcport=9\n', 'deeper.conf')
    expect(readConfig()).toMatchObject({ rpcLogin: { user: 'ann', password: 'deep' }, rpcPort: undefined })
  })

  it.each([
    ['0.0.0.0', undefined],
    ['[::]:8332', undefined],
    ['[fd00::1]', '[fd00::1]'],
    ['10.0.0.4:18443', '10.0.0.4'],
    ['node.lan', 'node.lan'],
  ])('with rpcbind=%s is reached at %s', (bound, host) => {
    write(`rpcbind=${bound}\n`)
    expect(readConfig()?.rpcHost).toBe(host)
  })

  it('knows users by rpcauth only as such, whose passwords nobody can read', () => {
    write('rpcauth=ann:salt$hash\nrpccookiefile=other.cookie\n')
    const cookieFile = path.join(datadir, 'regtest', 'other.cookie')
    expect(readConfig('regtest')).toMatchObject({ hasRpcAuth: true, rpcLogin: undefined, cookieFile })
  })
})

describe('a source of blocks', () => {
  const settings: SourceSettings = {
    source: 'auto',
    datadir: undefined,
    blocksdir: undefined,
    rpcUrl: undefined,
    rpcUser: undefined,
    rpcPassword: undefined,
  }
  const located = (more: Partial<SourceSettings> = {}) =>
    locateSource({ ...settings, datadir, ...more }, networks.regtest, '/nonexistent')

  function addBlocks(folder: string): void {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, 'blk00000.dat'), '')
  }

  it('is found as the configuration of the node says', () => {
    const elsewhere = path.join(datadir, 'elsewhere')
    addBlocks(path.join(elsewhere, 'regtest', 'blocks'))
    write(`blocksdir=${elsewhere}\n[regtest]\nrpcport=19443\nrpcuser=ann\nrpcpassword=pass\n`)
    expect(located()).toEqual({
      kind: 'files',
      blocksFolder: path.join(elsewhere, 'regtest', 'blocks'),
      endpoint: { url: 'http://127.0.0.1:19443', credentials: { user: 'ann', password: 'pass' } },
      isEndpointRequired: false,
      isComparisonRequired: false,
    })
    // Settings of Coinstrata come first.
    expect(located({ rpcUrl: 'http://10.0.0.2:1', rpcUser: 'bob', rpcPassword: 'own' })?.endpoint).toEqual({
      url: 'http://10.0.0.2:1',
      credentials: { user: 'bob', password: 'own' },
    })
  })

  // Bitcoin Core, chainparamsbase.cpp
  it.each([
    ['mainnet', '', 8332],
    ['testnet3', 'testnet3', 18_332],
    ['testnet4', 'testnet4', 48_332],
    ['signet', 'signet', 38_332],
    ['regtest', 'regtest', 18_443],
  ] as const)('of %s has its RPC at the port of the network if bitcoin.conf names none', (name, subfolder, port) => {
    const cookie = path.join(datadir, subfolder, '.cookie')
    mkdirSync(path.dirname(cookie), { recursive: true })
    writeFileSync(cookie, '__cookie__:x')
    write('server=1\n')
    const source = locateSource({ ...settings, source: 'rpc', datadir }, networks[name], '/nonexistent')
    expect(source?.endpoint).toEqual({ url: `http://127.0.0.1:${port}`, credentials: { cookieFile: cookie } })
  })

  it('is read without the node where it is not to be asked, and not at all where it must be and cannot', () => {
    addBlocks(path.join(datadir, 'regtest', 'blocks'))
    writeFileSync(path.join(datadir, 'regtest', '.cookie'), '__cookie__:x')
    expect(located({ rpc: 'off' })?.endpoint).toBeUndefined()
    expect(located({ rpc: 'required' })).toMatchObject({ isEndpointRequired: true, isComparisonRequired: true })
    rmSync(path.join(datadir, 'regtest', '.cookie'))
    write('rpcauth=ann:salt$hash\n')
    expect(() => located({ rpc: 'required' })).toThrow(
      expect.objectContaining({ code: 'rpc_unreachable', message: expect.stringContaining('rpcauth') }),
    )
  })
})
