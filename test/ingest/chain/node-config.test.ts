import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { locateSource, type SourceSettings } from '#ingest/chain/locate-source.ts'
import { type NetworkName, networks } from '#ingest/chain/networks.ts'
import { findNodeConfig, readNodeConfig } from '#ingest/chain/node-config.ts'

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
      '# mine\nserver=1\nrpcuser = ann # a comment\nrpcpassword=s3cret=\nrpcport=1234\nrpcbind=192.168.1.2\nrpcallowip=192.168.1.0/24\nprune=550\n',
    )
    expect(readConfig()).toEqual({
      file: path.join(datadir, 'bitcoin.conf'),
      datadir,
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
    ['0.0.0.0', undefined, 1],
    ['[::]:8332', undefined, 8332],
    ['::', undefined, 1],
    ['[fd00::1]', '[fd00::1]', 1],
    ['fd00::1', '[fd00::1]', 1],
    ['[fd00::1]:7', '[fd00::1]', 7],
    ['10.0.0.4:18443', '10.0.0.4', 18_443],
    ['node.lan', 'node.lan', 1],
  ])('with rpcbind=%s is reached at %s, port %s', (bound, rpcHost, rpcPort) => {
    write(`rpcport=1\nrpcallowip=::/0\nrpcbind=${bound}\n`)
    expect(readConfig()).toMatchObject({ rpcHost, rpcPort })
  })

  it('is reached on this machine if one of several addresses is of it', () => {
    write('rpcallowip=10.0.0.0/8\nrpcbind=10.0.0.4:1\nrpcbind=127.0.0.1:2\n')
    expect(readConfig()).toMatchObject({ rpcHost: '127.0.0.1', rpcPort: 2 })
  })

  it('ignores rpcbind without rpcallowip, as the node does', () => {
    write('rpcbind=10.0.0.4:1\nrpcport=2\n')
    expect(readConfig()).toMatchObject({ rpcHost: undefined, rpcPort: 2 })
  })

  it('ignores another section in a section', () => {
    write('[main]\nregtest.rpcport=7\n')
    expect(readConfig('regtest')?.rpcPort).toBeUndefined()
  })

  it('is overridden by what the GUI stores, also without bitcoin.conf', () => {
    mkdirSync(path.join(datadir, 'signet'))
    write(
      '{ "prune": "1907", "server": true, "wallet": ["a"], "dbcache": null, "rpcport": false }',
      'signet/settings.json',
    )
    expect(readConfig('signet')).toMatchObject({
      isPruned: true,
      file: path.join(datadir, 'signet', 'settings.json'),
    })
    expect(readConfig()).toBeUndefined()
    write('{ "prune": 0, "rpcport": 5 }', 'settings.json')
    write('prune=550\n[main]\nprune=551\nrpcport=4\n')
    expect(readConfig()).toMatchObject({ isPruned: false, rpcPort: 5, file: path.join(datadir, 'bitcoin.conf') })
    write('{', 'settings.json')
    expect(readConfig()).toMatchObject({ isPruned: true, rpcPort: 4 })
  })

  it('names the data directory, which a setting overrides unless it only says where the file is', () => {
    const disk = path.join(datadir, 'disk')
    const find = (given: string | undefined) => findNodeConfig(given, datadir, networks.regtest)
    mkdirSync(path.join(disk, 'regtest'), { recursive: true })
    write('datadir=disk\nrpccookiefile=mine\n')
    write('{ "prune": 1 }', 'disk/regtest/settings.json')
    const found = { datadir: disk, isPruned: true, cookieFile: path.join(disk, 'regtest', 'mine') }
    expect(find(undefined)).toMatchObject(found)
    expect(find(datadir)).toMatchObject(found)
    expect(find(`${disk}/`)).toMatchObject(found)
    mkdirSync(path.join(disk, 'regtest', 'blocks'))
    expect(find(disk)).toMatchObject(found)
    mkdirSync(path.join(datadir, 'regtest', 'blocks'), { recursive: true })
    expect(find(datadir)).toMatchObject({ datadir, isPruned: false })
    expect(find(undefined)).toMatchObject(found)
    expect(find(path.join(datadir, 'other'))).toBeUndefined()
  })

  it('knows users by rpcauth only as such, whose passwords nobody can read', () => {
    write('rpcauth=ann:salt$hash\nrpccookiefile=other.cookie\n')
    const cookieFile = path.join(datadir, 'regtest', 'other.cookie')
    expect(readConfig('regtest')).toMatchObject({ hasRpcAuth: true, rpcLogin: undefined, cookieFile })
  })
})

/** Short copies of the files of public node systems; docs/node.md says what is read from each. */
describe('the configuration of', () => {
  it('RaspiBlitz: datadir, dotted names, rpcbind with a port', () => {
    const disk = path.join(datadir, 'hdd')
    const common = `testnet=0\nserver=1\ntxindex=0\ndatadir=${disk}\nmain.debuglogfile=${disk}/debug.log`
    const login =
      'rpcuser=raspibolt\nrpcpassword=passwordB\nmain.rpcport=8332\ntest.rpcport=18332\nrpcallowip=127.0.0.1'
    write(`${common}\n${login}\nmain.rpcbind=127.0.0.1:8332\ntest.rpcbind=127.0.0.1:18332\n`)
    const rpcLogin = { user: 'raspibolt', password: 'passwordB' }
    expect(readConfig()).toMatchObject({
      datadir: disk,
      rpcHost: '127.0.0.1',
      rpcPort: 8332,
      rpcLogin,
      isPruned: false,
    })
    expect(readConfig('testnet3')).toMatchObject({ datadir: disk, rpcPort: 18_332, rpcLogin })
  })

  it('Umbrel: an included file with sections, several rpcbind', () => {
    write('# Load additional configuration file, relative to the data directory.\nincludeconf=umbrel-bitcoin.conf\n')
    const stanza = (section: string): string =>
      `\n[${section}]\nport=8333\nbind=10.21.21.8:8334=onion\nrpcport=8332\nrpcbind=10.21.21.8\nrpcbind=127.0.0.1\n`
    const general = 'chain=main\nprune=0\nrpcallowip=10.21.0.0/16\nrpcallowip=127.0.0.1\nrpcauth=umbrel:1f$2e\n'
    write(general + stanza('main'), 'umbrel-bitcoin.conf')
    const reached = { rpcHost: '127.0.0.1', rpcPort: 8332, hasRpcAuth: true, rpcLogin: undefined, isPruned: false }
    expect(readConfig()).toMatchObject(reached)
    write(general.replace('prune=0', 'prune=572204') + stanza('signet'), 'umbrel-bitcoin.conf')
    expect(readConfig('signet')).toMatchObject({ ...reached, isPruned: true })
  })

  it('StartOS: the RPC of a pruned node at another port', () => {
    write('rpcbind=0.0.0.0:8332\nrpcallowip=0.0.0.0/0\nrpcuser=bitcoin\nrpcpassword=pw\nrpcauth=app:1f$2e\nprune=0\n')
    const rpcLogin = { user: 'bitcoin', password: 'pw' }
    expect(readConfig()).toMatchObject({ rpcHost: undefined, rpcPort: 8332, rpcLogin, isPruned: false })
    write('rpcbind=127.0.0.1:18332\nrpcallowip=127.0.0.1/32\nrpccookiefile=.cookie\nprune=550\n')
    const cookieFile = path.join(datadir, '.cookie')
    expect(readConfig()).toMatchObject({ rpcHost: '127.0.0.1', rpcPort: 18_332, cookieFile, isPruned: true })
  })

  it('MyNode: a port that counts on mainnet only', () => {
    const main = 'server=1\nrpcauth=mynode:7b$6c\nrpcport=8332\nrpcbind=0.0.0.0\nrpcallowip=127.0.0.1\n'
    write(`${main}main.wallet=wallet.dat\ntestnet=1\ntest.bind=127.0.0.1\ntest.rpcbind=0.0.0.0\ntest.rpcport=8332\n`)
    for (const network of ['mainnet', 'testnet3'] as const) {
      expect(readConfig(network)).toMatchObject({ rpcHost: undefined, rpcPort: 8332, hasRpcAuth: true })
    }
    expect(readConfig('signet')).toMatchObject({ rpcPort: undefined })
  })

  it('Citadel: several rpcbind, rpcauth', () => {
    write('port=8333\nrpcport=8332\nrpcbind=10.21.21.8\nrpcbind=127.0.0.1\nrpcallowip=10.21.21.0/16\nrpcauth=c:1f$2e\n')
    expect(readConfig()).toMatchObject({ rpcHost: '127.0.0.1', rpcPort: 8332, hasRpcAuth: true })
  })

  it('nix-bitcoin: rpcauth with a whitelist; only the cookie is left to log in with', () => {
    const rpc = 'rpcbind=127.0.0.1\nrpcport=8332\nrpcconnect=127.0.0.1\nrpcwhitelistdefault=0\nrpcallowip=127.0.0.1\n'
    write(
      `nodebuglogfile=1\nregtest=1\n[regtest]\nprune=10000\n${rpc}rpcwhitelist=public:echo,getblock\nrpcauth=privileged:1f$2e\n`,
    )
    expect(readConfig('regtest')).toMatchObject({
      rpcPort: 8332,
      hasRpcAuth: true,
      rpcLogin: undefined,
      isPruned: true,
    })
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
