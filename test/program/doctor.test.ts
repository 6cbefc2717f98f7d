import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findBitcoind, startNode } from '#test/support/bitcoind.ts'
import { makeChain, writeChain } from '#test/support/made-chain.ts'
import { coinstrata, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { startSmtpServer } from '#test/support/smtp-server.ts'

const folder = temporaryFolder('doctor')
const blocks = path.join(folder, 'blocks')
const findingsSchema = z.array(
  z.object({
    check: z.string(),
    state: z.enum(['ok', 'note', 'problem']),
    says: z.string(),
    cure: z.string().optional(),
  }),
)
const common = ['doctor', '--json', '--network', 'regtest', '--data-dir', path.join(folder, 'data'), '--port', '0']

async function examine(...args: readonly string[]) {
  const { exitCode, stdout } = await coinstrata([...common, ...args])
  const findings = findingsSchema.parse(JSON.parse(stdout))
  return { exitCode, findings, of: (check: string) => findings.filter((finding) => finding.check === check) }
}

beforeAll(() => writeChain(blocks, makeChain(11), 10))
afterAll(() => rmSync(folder, { recursive: true }))

describe('doctor', () => {
  it('finds all well where a folder of block files is there, and says how long the first scan takes', async () => {
    const { exitCode, findings, of } = await examine('--blocksdir', blocks)
    expect(findings.filter(({ state }) => state === 'problem')).toEqual([])
    expect(exitCode).toBe(0)
    expect(of('block files')[0]?.says).toMatch(/^\d in .*blocks, [\d.]+ kB, with/)
    expect(of('pace')[0]?.says).toMatch(/^reads [\d.]+ \wB\/s; the first scan takes about/)
    expect(of('prices')[0]).toMatchObject({ state: 'note', cure: expect.stringContaining('coinstrata fetch') })
  })

  it('says what to do where there is no node, and changes nothing', async () => {
    const { exitCode, of } = await examine('--datadir', path.join(folder, 'gone'))
    expect(of('node')).toEqual([
      expect.objectContaining({
        state: 'problem',
        says: expect.stringContaining('[source_not_found]'),
        cure: expect.any(String),
      }),
    ])
    expect(exitCode).toBe(1)
    const text = (await coinstrata(['doctor', '--data-dir', path.join(folder, 'data'), '--port', '0'])).stdout
    expect(text).toMatch(
      /^problem {2}node +no node was found, so an update would simulate a chain\n +name its data directory/m,
    )
  })

  it('tells of a node and of a PostgreSQL that do not answer', async () => {
    const environment = {
      BITCOIN_RPC_USER: 'ann',
      BITCOIN_RPC_PASSWORD: 'secret-word',
      DATABASE_URL: 'postgresql://ann:secret-word@127.0.0.1:1/accounts',
    }
    const args = [...common, '--blocksdir', blocks, '--rpc-url', 'http://127.0.0.1:1']
    const { exitCode, stdout } = await coinstrata(args, { environment })
    expect(stdout).toContain('ECONNREFUSED [rpc_unreachable]')
    expect(stdout).toContain('ECONNREFUSED 127.0.0.1:1) [accounts_unavailable]')
    expect(stdout).not.toContain('secret-word')
    expect(exitCode).toBe(1)
  })

  it('logs in to the mail server, and says what it answers', async () => {
    const mailServer = await startSmtpServer({ login: 'robot:secret-word' })
    const at = `127.0.0.1:${mailServer.port}`
    const withMail = async (url: string, others: Readonly<Record<string, string>>) => {
      const environment = { MAIL_URL: url, ...others }
      const { stdout } = await coinstrata([...common, '--blocksdir', blocks], { environment })
      expect(stdout).not.toContain('secret-word')
      return findingsSchema.parse(JSON.parse(stdout)).find(({ check }) => check === 'mail')
    }
    const complete = { MAIL_FROM: 'robot@chain.example', PUBLIC_URL: 'https://chain.example' }
    const right = await withMail(`smtp://robot:secret-word@${at}`, complete)
    expect(right).toEqual({ check: 'mail', state: 'ok', says: `${at} accepts connections and the login` })
    expect(mailServer.mails).toEqual([])
    const says = (pattern: RegExp) => ({
      state: 'problem',
      says: expect.stringMatching(pattern),
      cure: expect.any(String),
    })
    expect(await withMail(`smtp://robot:other@${at}`, complete)).toMatchObject(says(/ 535 .*\[mail_failed\]$/))
    expect(await withMail(`smtp://${at}`, {})).toMatchObject(
      says(/MAIL_FROM and PUBLIC_URL \[invalid_configuration\]$/),
    )
    await mailServer.stop()
    expect(await withMail(`smtp://${at}`, complete)).toMatchObject(says(/ECONNREFUSED.* \[mail_failed\]$/))
  })

  it('compares free memory with MEMORY_LIMIT', async () => {
    const environment = { MEMORY_LIMIT: '900000GB' }
    const { exitCode, stdout } = await coinstrata([...common, '--blocksdir', blocks], { environment })
    expect(stdout).toMatch(/an update of mainnet needs up to 900\S* TB/)
    expect(exitCode).toBe(1)
  })

  it('tells of a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    const { of } = await examine('--blocksdir', blocks, '--port', port)
    const environment = { METRICS_PORT: port }
    const { stdout } = await coinstrata([...common, '--blocksdir', blocks], { environment })
    server.close()
    expect(stdout).toContain('if it is another one, set METRICS_PORT')
    expect(of('port')[0]).toMatchObject({
      state: 'note',
      says: expect.stringContaining(`127.0.0.1 port ${port} is in use`),
    })
  })

  it('tells of a data folder that this user may not write to', async () => {
    const closed = path.join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o555)
    const args = [
      'doctor',
      '--blocksdir',
      blocks,
      '--network',
      'regtest',
      '--port',
      '0',
      '--data-dir',
      path.join(closed, 'data'),
    ]
    const { exitCode, stdout } = await startCoinstrata(args, { isBoundByModes: true }).outcome
    expect(stdout).toMatch(/^problem {2}data folder +this user cannot write to .*closed \[data_folder_unwritable\]$/m)
    expect(exitCode).toBe(1)
  })
})

const bitcoind = findBitcoind()
describe.skipIf(!bitcoind)('doctor beside a real node', () => {
  it('names its version, its height and what it can tell', async () => {
    const node = await startNode(bitcoind!)
    try {
      await node.rpc('generatetodescriptor', [3, 'raw(51)'])
      const { exitCode, of } = await examine('--datadir', node.datadir, '--rpc-url', node.endpoint.url)
      expect(of('RPC')[0]).toMatchObject({ state: 'ok', says: expect.stringMatching(/^\/Satoshi:.* block 3 of 3$/) })
      expect(of('clock')[0]?.state).toBe('ok')
      expect(exitCode).toBe(0)
    } finally {
      await node.stop()
    }
  })
})
