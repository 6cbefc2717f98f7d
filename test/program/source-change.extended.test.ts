import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { address as addresses, networks } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBitcoind } from '#test/support/bitcoind.ts'
import { openScript } from '#test/support/coins.ts'
import { coinstrata } from '#test/support/program.ts'
import { rowsOf, tableDifferences } from '#test/support/published.ts'
import { type RegtestChain, regtestChain } from '#test/support/regtest.ts'
import { ReadChain } from './support/read-chain.ts'

const bitcoind = findBitcoind()

describe.skipIf(!bitcoind)('a change between files and RPC', { timeout: 600_000 }, () => {
  let read: ReadChain
  let chain: RegtestChain

  beforeAll(async () => {
    chain = await regtestChain(bitcoind!, 505)
    read = await ReadChain.start(chain)
    await read.published('files', 'grown')
    expect(await read.published('RPC', 'rpc')).toBe(506)
  })
  afterAll(() => read?.stop())

  const label = (name: string): void => {
    const folder = path.join(read.dataDir(name), 'labels')
    mkdirSync(folder, { recursive: true })
    const address = addresses.fromOutputScript(openScript('sh'), networks.regtest)
    writeFileSync(path.join(folder, 'own.csv'), `address,name\n${address},Anyone\n`)
  }
  const readLabels = (name: string) => rowsOf(`FROM '${read.dataDir(name)}/labels/label_days.parquet' ORDER BY ALL`)

  it('reads no block that was scanned, and gives the same tables', async () => {
    expect(await read.published('RPC', 'grown')).toBe(0)
    expect(await read.published('files', 'rpc')).toBe(0)
    await chain.grow(20)
    expect(await read.published('RPC', 'grown')).toBeLessThan(145)
    expect(await read.published('files', 'rpc')).toBeLessThan(145)
    await chain.grow(15)
    expect(await read.published('files', 'grown')).toBeLessThan(145)
    expect(await read.published('files and RPC', 'rpc')).toBeLessThan(145)
    label('files')
    expect(await read.published('files', 'files')).toBe(541)
    for (const name of ['grown', 'rpc']) {
      expect(await tableDifferences(read.dataDir('files'), read.dataDir(name)), name).toEqual({})
    }
    for (const args of [['prove'], ['audit', '--verify']]) {
      const { exitCode, stdout, stderr } = await coinstrata([...args, ...read.args(read.sources.files(), 'rpc')])
      expect([exitCode, stdout], stderr).toEqual([0, expect.not.stringContaining('pruned')])
    }
  })

  it('reads all blocks for a new label, whoever scanned them', async () => {
    for (const name of ['rpc', 'grown']) label(name)
    expect(await read.published('files', 'rpc')).toBe(0)
    expect(await read.published('files', 'rpc', '--yes')).toBe(541)
    expect(await read.published('RPC', 'grown', '--yes')).toBe(541)
    expect((await readLabels('files')).length).toBeGreaterThan(500)
    for (const name of ['grown', 'rpc']) expect(await readLabels(name), name).toEqual(await readLabels('files'))
  })

  it('reads nothing on a pruned node', async () => {
    await chain.node.restart(['-fastprune', '-prune=1', '-acceptnonstdtxn=1'])
    await chain.node.rpc('pruneblockchain', [200])
    expect(await read.published('RPC', 'rpc')).toBe(0)
    // Only the scan over RPC knows which blocks the removed files had.
    rmSync(path.join(read.dataDir('grown'), 'raw/headers'), { recursive: true })
    expect(await read.published('files and RPC', 'grown')).toBe(0)
  })
})
