import {
  appendFileSync,
  chmodSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Block } from 'bitcoinjs-lib'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type ErrorCode, errorCodes } from '#base/error-codes.ts'
import { preflight } from '#compute/scan/preflight.ts'
import type { UpdateSettings } from '#compute/update-settings.ts'
import { networks } from '#ingest/chain/networks.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { coinstrata, type Outcome, placesIn, startCoinstrata, temporaryFolder } from '#test/support/program.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { results, startRpcServer } from '#test/support/rpc-server.ts'

const folder = temporaryFolder('preflight')
const { blocks, dataDir, closed } = placesIn(folder, 'blocks', 'dataDir', 'closed')
const { blocks: whole, dataDir: published } = await publishedChain(60)
const owner = path.join(dataDir, 'raw', 'network.json')
const { genesisHash, split } = networks.mainnet

beforeEach(() => {
  for (const place of [blocks, dataDir, closed]) rmSync(place, { recursive: true, force: true })
  copyFolder(whole, blocks)
})
afterAll(() => rmSync(folder, { recursive: true }))

const hash = (letter: string): string => letter.repeat(64)

/** A node that answers so; it is on mainnet unless `genesis` says otherwise. */
async function startStub(info: object, others: Readonly<Record<string, unknown>> = {}, genesis = genesisHash) {
  const best = { blocks: 9, headers: 9, bestblockhash: hash('a') }
  const answers: Record<string, unknown> = {
    getblockchaininfo: { chain: 'main', ...best, initialblockdownload: false, pruned: false, ...info },
    getchainstates: { chainstates: [{ ...best, validated: true }] },
    ...others,
  }
  const node = await startRpcServer((calls) =>
    results(calls, ({ method, params: [height] }) =>
      method === 'getblockhash' && height === 0 ? genesis : answers[method],
    ),
  )
  onTestFinished(node.stop)
  return ['--source', 'rpc', '--rpc-url', node.url, '--rpc-user', 'any']
}

async function answering(status: number, body: string): Promise<string[]> {
  const node = await startRpcServer(() => ({ status, body }))
  onTestFinished(node.stop)
  return ['--source', 'rpc', '--rpc-url', node.url, '--rpc-user', 'any']
}

/** Files without content: 800 TB. */
function makeHugeFiles(): void {
  for (let i = 0; i < 100; i++) {
    const file = path.join(blocks, `blk00${100 + i}.dat`)
    writeFileSync(file, '')
    truncateSync(file, 8e12)
  }
}

const regtest = ['--network', 'regtest', '--blocksdir', blocks]
const format = { format: 1, readable_since: '1.0.0' }
const ownedBy = (content: object | string): string[] => {
  mkdirSync(path.dirname(owner), { recursive: true })
  writeFileSync(owner, typeof content === 'string' ? content : JSON.stringify(content))
  return regtest
}

interface Case {
  readonly name: string
  readonly code: ErrorCode
  readonly message: RegExp
  readonly make: () => readonly string[] | Promise<readonly string[]>
  readonly isBoundByModes?: boolean
  readonly environment?: Readonly<Record<string, string>>
}

const cases: readonly Case[] = [
  {
    name: 'the data folder cannot be written to',
    code: 'data_folder_unwritable',
    message: /this user cannot write to .*closed$/,
    isBoundByModes: true,
    make: () => {
      mkdirSync(closed, { mode: 0o555 })
      return [...regtest, '--data-dir', path.join(closed, 'data')]
    },
  },
  {
    name: 'the data folder would be inside a file',
    code: 'data_folder_unwritable',
    message: /blk00000\.dat is a file$/,
    make: () => [...regtest, '--data-dir', path.join(blocks, 'blk00000.dat', 'data')],
  },
  {
    name: 'a newer version wrote the data folder',
    code: 'data_folder_mismatch',
    message: /has format 9, and this version reads format 1 only/,
    make: () => ownedBy({ format: 9, readable_since: '1.2.3' }),
  },
  {
    name: 'the data folder belongs to another network',
    code: 'data_folder_mismatch',
    message: /holds data of signet, not of regtest/,
    make: () => ownedBy({ ...format, network: 'signet', genesis_hash: 'any' }),
  },
  {
    name: 'simulated data would mix with real data',
    code: 'data_folder_mismatch',
    message: /holds real data/,
    make: () => [
      ...ownedBy({ ...format, network: 'regtest', genesis_hash: 'any' }).slice(0, 2),
      '--source',
      'simulated',
    ],
  },
  {
    name: 'network.json is damaged',
    code: 'invalid_file',
    message: /network\.json is damaged/,
    make: () => ownedBy('{'),
  },
  {
    name: 'the address of the RPC is none',
    code: 'invalid_configuration',
    message: /not of the form http:/,
    make: () => ['--source', 'rpc', '--rpc-url', 'localhost', '--rpc-user', 'any'],
  },
  {
    name: 'there is no login for the RPC',
    code: 'invalid_configuration',
    message: /no user or cookie/,
    make: () => ['--source', 'rpc', '--rpc-url', 'http://127.0.0.1:1'],
  },
  {
    name: 'the directory of the node is missing',
    code: 'source_not_found',
    message: /no block files of regtest in .*gone/,
    make: () => ['--network', 'regtest', '--datadir', path.join(folder, 'gone')],
  },
  {
    name: 'no node is found for real data',
    code: 'source_not_found',
    message: /no node was found, and .* holds real data/,
    make: () => ownedBy({ ...format, network: 'regtest', genesis_hash: 'any' }).slice(0, 2),
  },
  {
    name: 'a block file may not be read',
    code: 'source_unreadable',
    message: /cannot read .*blk00001\.dat/,
    isBoundByModes: true,
    make: () => {
      chmodSync(path.join(blocks, 'blk00001.dat'), 0)
      return [...regtest, '--data-dir', dataDir]
    },
  },
  {
    name: 'the key of the block files is cut off',
    code: 'block_corrupt',
    message: /xor\.dat has 3 bytes instead of 8/,
    make: () => {
      truncateSync(path.join(blocks, 'xor.dat'), 3)
      return regtest
    },
  },
  {
    name: 'block files are those of another network',
    code: 'wrong_network',
    message: /does not hold the first block of signet/,
    make: () => ['--network', 'signet', '--blocksdir', blocks],
  },
  {
    name: 'the first block files are gone',
    code: 'pruned',
    message: /begins with blk00001\.dat.*; block 0, which is not scanned yet, is needed/,
    make: () => {
      rmSync(path.join(blocks, 'blk00000.dat'))
      return regtest
    },
  },
  {
    name: 'the disk is too small for the chain',
    code: 'disk_full',
    message: /GB free, and the first publication needs about 12\d{3}\.\d GB$/,
    make: () => {
      makeHugeFiles()
      return regtest
    },
  },
  {
    name: 'every address is to be counted before there are prices',
    code: 'data_not_ready',
    message: /^there are no prices, which counting every address needs first$/,
    environment: { ADDRESSES: 'all' },
    make: () => ['--network', 'mainnet', '--blocksdir', blocks],
  },
  {
    name: 'the disk is too small for the chain with every address',
    code: 'disk_full',
    message: /GB free, and the first publication needs about 29\d{3}\.\d GB$/,
    environment: { ADDRESSES: 'all' },
    make: () => {
      makeHugeFiles()
      return regtest
    },
  },
  {
    name: 'the settings require a node of which nothing is known',
    code: 'rpc_unreachable',
    message: /the settings require the RPC of the node/,
    make: () => [...regtest, '--require-node'],
  },
  {
    name: 'the node refuses the password',
    code: 'rpc_refused',
    message: /refused the user "any"/,
    make: () => answering(401, ''),
  },
  {
    name: 'something else than a node answers',
    code: 'rpc_failed',
    message: /not with JSON-RPC/,
    make: () => answering(200, '<html>'),
  },
  {
    name: 'the node cannot be compared, but must be',
    code: 'rpc_failed',
    message: /still validates the history before its snapshot/,
    make: async () => {
      const [history, active] = [
        { blocks: 3, bestblockhash: hash('b'), validated: true },
        { blocks: 9, bestblockhash: hash('a'), validated: false },
      ]
      return [...(await startStub({}, { getchainstates: { chainstates: [history, active] } })), '--require-node']
    },
  },
  {
    name: 'the node is on another network',
    code: 'wrong_network',
    message: /the node is on chain "main" .*, not on mainnet/,
    make: () => startStub({}, {}, hash('c')),
  },
  {
    name: 'the node follows the chain of BIP 110',
    code: 'wrong_chain',
    message:
      /^the node follows the chain of BIP 110, not mainnet: its block 961632 is 0{19}169eb\w+, that of mainnet is 0{20}d1e0\w+$/,
    make: () => startStub({ blocks: 961_640, headers: 961_640 }, { getblockhash: split?.other.hash }),
  },
  {
    name: 'the node follows a chain that nobody knows',
    code: 'wrong_chain',
    message: /^the node follows an unknown chain, not mainnet: its block 961632 is d{64}/,
    make: () => startStub({ blocks: 961_640, headers: 961_640 }, { getblockhash: hash('d') }),
  },
  {
    name: 'the node has pruned blocks that are not scanned',
    code: 'pruned',
    message: /the first block that it still has is 5; block 0, which is not scanned yet, is needed/,
    make: () => startStub({ pruned: true, pruneheight: 5 }),
  },
]

const findingsSchema = z.array(z.object({ state: z.string(), says: z.string(), cure: z.string().optional() }))

/** Free space changes between two runs. */
const withoutFreeSpace = (text: string): string => text.replace(/has \S+ GB free/, 'has room')

describe('before any work, an update fails with what doctor reports,', () => {
  it.each(cases)('where $name', async ({ code, message, make, isBoundByModes, environment = {} }) => {
    const args = ['--data-dir', dataDir, ...(await make())]
    const run = (...command: string[]): Promise<Outcome> =>
      isBoundByModes
        ? startCoinstrata([...command, ...args], { isBoundByModes }).outcome
        : coinstrata([...command, ...args], { environment })
    const { stdout, stderr: why } = await run('doctor', '--json', '--port', '0')
    const findings = findingsSchema.parse(JSON.parse(stdout || JSON.stringify(why)))
    const found = findings.find(({ state, says }) => state === 'problem' && says.endsWith(`[${code}]`))
    expect(found?.says.slice(0, -` [${code}]`.length), JSON.stringify(findings)).toMatch(message)
    for (const command of isBoundByModes ? ['update'] : ['update', 'ingest']) {
      const { exitCode, stderr } = await run(command)
      const expected = `coinstrata: ${found?.says}\nWhat to do: ${found?.cure}\n`
      expect(withoutFreeSpace(stderr)).toContain(withoutFreeSpace(expected))
      expect(exitCode).toBeGreaterThan(1)
    }
  })
})

/** Run with a published data folder. */
const laterCases: readonly Case[] = [
  {
    name: 'stored prices are damaged',
    code: 'data_folder_damaged',
    message: /is damaged: it does not match its checksum/,
    make: async () => {
      const csv = path.join(folder, 'prices.csv')
      writeFileSync(csv, 'date,open,high,low,close\n2011-02-01,1,1,1,1\n2011-02-02,1,1,1,1\n')
      const imported = await coinstrata(['import', 'prices', csv, '--data-dir', dataDir])
      expect(imported.exitCode, imported.stderr).toBe(0)
      const [file = ''] = globSync(path.join(dataDir, 'raw/market/prices/**/*.parquet'))
      appendFileSync(file, ' ')
      return regtest
    },
  },
  {
    name: 'the key that signs is none',
    code: 'invalid_configuration',
    message: /cannot be read as a key in PEM/,
    environment: { PUBLISH_KEY_FILE: path.join(blocks, 'blk00000.dat') },
    make: () => regtest,
  },
  {
    name: 'the store cannot be used',
    code: 'store_failed',
    message: /^the store .*blk00000\.dat\/store cannot be used/,
    environment: { PUBLISH_URL: `file://${path.join(blocks, 'blk00000.dat', 'store')}` },
    make: () => regtest,
  },
  {
    name: 'the store is damaged',
    code: 'store_damaged',
    message: /is not a description of generations/,
    environment: { PUBLISH_URL: `file://${closed}` },
    make: () => {
      mkdirSync(closed)
      writeFileSync(path.join(closed, 'current.json'), '{')
      return regtest
    },
  },
  {
    name: 'another data folder publishes to the store',
    code: 'store_conflict',
    message: /^another data folder publishes to the store/,
    environment: { PUBLISH_URL: `file://${closed}` },
    make: async () => {
      const other = path.join(folder, 'other')
      copyFolder(published, other)
      const file = path.join(other, 'raw', 'network.json')
      const { id, ...rest }: { id?: string } = JSON.parse(readFileSync(file, 'utf8'))
      writeFileSync(file, JSON.stringify({ ...rest, id: `other${id}` }))
      const environment = { PUBLISH_URL: `file://${closed}` }
      const args = ['update', '--force', ...regtest, '--data-dir', other]
      const { exitCode, stderr } = await coinstrata(args, { environment })
      expect(exitCode, stderr).toBe(0)
      return regtest
    },
  },
]

describe('after all other work, an update fails with what doctor reports,', () => {
  it.each(laterCases)('where $name', async ({ code, message, make, environment = {} }) => {
    copyFolder(published, dataDir)
    const args = ['--data-dir', dataDir, ...(await make())]
    const doctor = await coinstrata(['doctor', '--json', '--port', '0', ...args], { environment })
    const findings = findingsSchema.parse(JSON.parse(doctor.stdout || JSON.stringify(doctor.stderr)))
    const found = findings.find(({ state, says }) => state === 'problem' && says.endsWith(`[${code}]`))
    expect(found?.says, JSON.stringify(findings)).toMatch(message)
    expect(doctor.exitCode).toBe(1)
    const { exitCode, stderr } = await coinstrata(['update', '--force', ...args], { environment })
    expect(stderr).toContain(`coinstrata: ${found?.says}\n`)
    expect(exitCode).toBeGreaterThan(1)
  })
})

test('doctor foresees every failure of an update, or here is why not', () => {
  const whileReading = 'is found while all blocks are read'
  const whileComputing = 'is found while tables are computed'
  const noUpdate = 'stops no update'
  const unforeseen: Partial<Record<ErrorCode, string>> = {
    invalid_argument: 'is of a command line',
    formula_invalid: noUpdate,
    data_folder_in_use: 'passes with the run that status shows',
    generation_missing: noUpdate,
    memory_exhausted: 'is foreseen by free memory, a check without a code',
    undo_missing: whileReading,
    undo_outdated: whileReading,
    undo_ambiguous: whileReading,
    chain_incomplete: whileReading,
    chain_shrunk: whileReading,
    node_starting: 'comes from the same calls as rpc_refused, after a minute of attempts',
    market_source_failed: noUpdate,
    market_source_blocked: noUpdate,
    comparison_failed: noUpdate,
    accounts_unavailable: 'is tested in doctor.test.ts',
    mail_failed: 'is tested in doctor.test.ts',
    mail_refused: noUpdate,
    secrets_key_wrong: noUpdate,
    history_refused: 'is found while coins are compared',
    audit_failed: whileComputing,
    schema_mismatch: whileComputing,
    metric_incomplete: whileComputing,
    render_timeout: noUpdate,
    rescan_needed: 'follows an upgrade, and status shows it as rescan_waiting with what it takes',
  }
  const foreseen = [...cases, ...laterCases].map(({ code }) => code)
  expect([...new Set(foreseen), ...Object.keys(unforeseen)].sort()).toEqual([...errorCodes].sort())
})

describe('a node of mainnet', () => {
  const genesisHeader =
    '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c'

  const notesOf = async (info: object, peers: number): Promise<unknown[]> => {
    expect(Block.fromHex(genesisHeader).getId()).toBe(genesisHash)
    const tip = { blocks: 0, headers: 0, bestblockhash: genesisHash }
    const others = {
      getconnectioncount: peers,
      getblockheader: genesisHeader,
      getchainstates: { chainstates: [{ ...tip, validated: true }] },
    }
    const [, , , rpcUrl] = await startStub({ ...tip, ...info }, others)
    const notes: unknown[] = []
    const settings = {
      dataDir,
      network: 'mainnet',
      source: 'rpc',
      rpcUrl,
      rpcUser: 'any',
      rpcPassword: undefined,
    } as const
    const rest = {
      datadir: undefined,
      blocksdir: undefined,
      defaultDatadir: '/none',
      simulatedSeed: 1,
      pricing: 'daily',
      memory: '1GB',
    } as const
    await preflight({ ...settings, ...rest }, ({ error, note, isProblem }) => notes.push(error ?? [note, isProblem]))
    return notes
  }

  it('that has heard of no block for hours although it has peers may follow another chain', async () => {
    const age = `${Math.floor((Date.now() - Date.parse('2009-01-03T18:15:05Z')) / 3_600_000)} hours old`
    expect(await notesOf({}, 8)).toEqual([
      [expect.stringContaining(`${age}, although 8 peers are connected: it may follow another chain`), true],
    ])
  })

  it('without peers, or that knows newer headers, does not', async () => {
    expect(await notesOf({}, 0)).toEqual([])
    expect(await notesOf({ headers: 1 }, 8)).toEqual([])
    expect(await notesOf({ headers: 1, initialblockdownload: true }, 8)).toEqual([
      ['The node is still syncing: its newest block, 0, is from 2009-01-03.', undefined],
    ])
  })

  it('is reported by doctor with its chain, and with BIP 110 if it enforces that', async () => {
    const others = {
      getblockhash: split?.hash,
      getconnectioncount: 3,
      getnetworkinfo: { subversion: '/Satoshi:29.3.0/Knots:20260210/' },
      getdeploymentinfo: { deployments: { taproot: {}, reduced_data: {} } },
      getindexinfo: {},
      getblockheader: { time: 1_790_000_000 },
    }
    const args = await startStub({ blocks: 961_632, headers: 961_640, bestblockhash: split?.hash }, others)
    const { stdout } = await coinstrata(['doctor', '--port', '0', '--data-dir', dataDir, ...args])
    expect(stdout).toMatch(/^ok {7}RPC +\/Satoshi:29\.3\.0\/Knots:20260210\/ at http:\S+, block 961,632 of 961,640$/m)
    expect(stdout).toMatch(/^ok {7}chain +main, best block 0{20}d1e0\w+$/m)
    expect(stdout).toMatch(/^note {5}chain +the node enforces BIP 110/m)
    expect(stdout).not.toContain('wrong_chain')
  })
})

it('changes nothing', async () => {
  copyFolder(published, dataDir)
  const found: unknown[] = []
  const settings: UpdateSettings = {
    dataDir,
    network: 'regtest',
    source: 'files',
    datadir: undefined,
    blocksdir: blocks,
    rpcUrl: undefined,
    ...{
      rpcUser: undefined,
      rpcPassword: undefined,
      defaultDatadir: '/none',
      simulatedSeed: 1,
      pricing: 'daily',
      memory: '1GB',
    },
  }
  await preflight(settings, ({ of }) => found.push(of))
  expect(found).toEqual(['RPC'])
})
