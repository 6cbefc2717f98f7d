import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { networks } from '#ingest/chain/networks.ts'
import { dumpFromNode, releasePipes } from '#ingest/chain/node-dump.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { serveBefore } from '#test/support/node-proxy.ts'

const bitcoind = findBitcoind()
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-dump-'))
const dumps = path.join(folder, 'dumps')
afterAll(() => rmSync(folder, { recursive: true }))

/** More coins than a pipe holds, so that the node waits for its reader. */
const blocks = 1_500

const slots = new Int32Array(blocks + 11).map((_, height) => height)
const dumpOf = (endpoint: RpcEndpoint, coins = 1) => dumpFromNode(endpoint, networks.regtest, dumps, coins, slots)

describe.skipIf(!bitcoind)('a dump of a real node', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startNode(bitcoind!, { network: 'regtest' })
    const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'
    await node.rpc('generatetoaddress', [blocks, address])
  })
  afterAll(async () => {
    await node?.stop()
  })

  test('comes through a pipe, of which nothing is left', async () => {
    const { hash_serialized_3: hash } = await node.rpc(
      'gettxoutsetinfo',
      ['hash_serialized_3'],
      z.object({ hash_serialized_3: z.string() }),
    )
    expect(await dumpOf(node.endpoint)).toMatchObject({ coins: blocks, hash })
    expect(readdirSync(dumps)).toEqual([])
  })

  test('comes through a file where there are no pipes, if the disk has room for it', async () => {
    vi.stubEnv('PATH', '')
    try {
      expect(await dumpOf(node.endpoint)).toMatchObject({ coins: blocks })
      expect(readdirSync(dumps)).toEqual([])
      await expect(dumpOf(node.endpoint, 1e14)).rejects.toMatchObject({
        code: 'disk_full',
        cure: expect.stringContaining('DUMP_FOLDER'),
      })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('a node that waits for the reader of a pipe is released, and can stop', async () => {
    const left = path.join(dumps, 'dump-of-a-killed-run')
    mkdirSync(left)
    execFileSync('mkfifo', [path.join(left, 'utxo.dat.incomplete')])
    const waiting = node.rpc('dumptxoutset', [path.join(left, 'utxo.dat'), 'latest']).then(String, String)
    await sleep(300)
    releasePipes(dumps)
    expect(await waiting).toMatch(/RPC error|has ended|connection/)
    expect(readdirSync(dumps)).toEqual([])
    expect(await node.rpc('getblockcount')).toBe(blocks)
  })

  test('a reader that gives up leaves no pipe and no node that hangs', async () => {
    const { mainnet } = networks
    await expect(dumpFromNode(node.endpoint, mainnet, dumps, 1, slots)).rejects.toMatchObject({
      code: 'invalid_file',
      message: 'what the node writes, byte 7: it is of another network than mainnet',
    })
    expect(readdirSync(dumps)).toEqual([])
    expect(await node.rpc('getblockcount')).toBe(blocks)
  })

  test('says what the node says if it cannot write', async () => {
    const failing = await serveBefore(node.endpoint, async () =>
      JSON.stringify([{ id: 0, result: null, error: { code: -1, message: "Couldn't open file for writing" } }]),
    )
    await expect(dumpOf(failing.endpoint)).rejects.toMatchObject({
      code: 'rpc_failed',
      message: expect.stringContaining("Couldn't open file for writing"),
      cure: expect.stringContaining('DUMP_FOLDER'),
    })
    failing.close()
    expect(readdirSync(dumps)).toEqual([])
  })

  test('a node that dies while it writes is named, and nothing is left', async () => {
    const whole = path.join(folder, 'whole.dat')
    await node.rpc('dumptxoutset', [whole, 'latest'])
    const dying = await serveBefore(node.endpoint, async () => {
      const [own] = readdirSync(dumps)
      writeFileSync(path.join(dumps, own!, 'utxo.dat.incomplete'), readFileSync(whole).subarray(0, 50_000))
      return undefined
    })
    await expect(dumpOf(dying.endpoint)).rejects.toMatchObject({ code: 'rpc_unreachable' })
    dying.close()
    expect(readdirSync(dumps)).toEqual([])
  })

  test('a node that says another hash than that of what it wrote is not believed', async () => {
    const lying = await serveBefore(node.endpoint, async (body, forward) =>
      (await forward(body)).replace(/("txoutset_hash":\s*")[0-9a-f]{8}/, '$100000000'),
    )
    await expect(dumpOf(lying.endpoint)).rejects.toMatchObject({ code: 'audit_failed' })
    lying.close()
  })

  test('a file that only the user of the node may read is named', ({ skip }) => {
    const file = path.join(folder, 'theirs.dat')
    writeFileSync(file, '', { mode: 0o600 })
    const program = `import { readDumpFile } from '#ingest/chain/node-dump.ts'
      await readDumpFile('${file}', async (chunks) => { for await (const _ of chunks); }).catch((error) => console.log(error.code, error.message))`
    skip(process.getuid?.() !== 0, 'only root can become somebody else')
    execFileSync('chmod', ['755', folder])
    const { stdout, error } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program], {
      uid: 65_534,
      gid: 65_534,
      encoding: 'utf8',
      cwd: path.join(import.meta.dirname, '../../..'),
    })
    skip(error?.message.includes('EACCES') ?? false, 'nobody else may enter the folder of the project')
    expect(stdout).toBe(`invalid_file ${file} may not be read by this user\n`)
    expect(existsSync(file)).toBe(true)
  })
})
