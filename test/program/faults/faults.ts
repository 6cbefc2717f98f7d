import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { vi } from 'vitest'
import type { ErrorCode } from '#base/error-codes.ts'
import type { ServiceState } from '#contract/operational-state.ts'
import { networks } from '#ingest/chain/networks.ts'
import { cookieFile } from '#ingest/chain/rpc-endpoint.ts'
import { recordFollowing } from '#state/following.ts'
import { RunJournal } from '#state/run-journal.ts'
import { attemptsFile, recordAttempt } from '#state/source-attempts.ts'
import { addressed, serve as serveSource } from '#test/ingest/market/fake-server.ts'
import type { TestNode } from '#test/support/bitcoind.ts'
import { CoreFile, fileNames } from '#test/support/core-file.ts'
import { listen } from '#test/support/listen.ts'
import type { ProgramOptions } from '#test/support/program.ts'
import { type Answer, type ReceivedCall, results, startRpcServer } from '#test/support/rpc-server.ts'

export interface Scene {
  /** The data folder, which is served. */
  readonly dataDir: string
  /** Block files of the chain that is published. */
  readonly published: string
  /** Files of the same chain with more blocks, which may be damaged. */
  readonly blocks: string
  readonly tip: { readonly height: number; readonly hash: string }
  /** A file that may fill the disk of the data folder. */
  readonly filler: string
  /** A real one, with no block but the first. */
  readonly node: TestNode | undefined
}

/** A fault, what it needs, and what ends it. */
interface Made {
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly undo?: () => unknown
}

export interface Fault {
  readonly name: string
  /** Required permission or program. */
  readonly needs?: 'small disk' | 'modes' | 'limits' | 'node'
  readonly make?: (scene: Scene) => Promise<Made | undefined> | Made | undefined
  /** The run that meets it; without one only the service does. */
  readonly run?: (scene: Scene) => readonly string[]
  /** The run needs a process of its own. */
  readonly own?: (scene: Scene) => ProgramOptions
  /** Exit code of the run: 0 if it succeeds anyway, null if a signal ends it. */
  readonly exitCode?: number | null
  /** Code of the error that ends the run, in its log and the journal. */
  readonly code?: ErrorCode
  /** It ends before it is a run. */
  readonly isUnbegun?: boolean
  /** State reported in all four places. */
  readonly state: ServiceState
  readonly problems: readonly string[]
  /** State of `coinstrata status` if it cannot open what the service opened before. */
  readonly statusState?: ServiceState
}

const update = ({ blocks }: Scene): readonly string[] => ['update', '--network', 'regtest', '--blocksdir', blocks]
/** One that finds nothing new. */
const idleUpdate = (scene: Scene): readonly string[] => update({ ...scene, blocks: scene.published })

/** A fault at which an update stops. */
const stopping = (name: string, code: ErrorCode, exitCode: number, own: Partial<Fault> = {}): Fault => ({
  name,
  run: update,
  exitCode,
  code,
  state: 'failed',
  problems: ['update_failed'],
  ...own,
})

/** A fault of the block files. */
const damage = (name: string, code: ErrorCode, change: (blocks: string) => void): Fault =>
  stopping(name, code, 4, {
    make: ({ blocks }) => {
      change(blocks)
      return undefined
    },
  })

/** An RPC that answers so. */
const answering = (answer: (calls: readonly ReceivedCall[], scene: Scene) => Answer): Partial<Fault> => ({
  make: async (scene) => {
    const { url, stop } = await startRpcServer((calls) => answer(calls, scene))
    return { args: ['--rpc-url', url, '--rpc-user', 'ann'], undo: stop }
  },
})

/** Something happens to the process in the moment in which it makes such a file. */
const atFile = (fault: 'fill' | 'starve' | 'kill', moment: RegExp): Partial<Fault> => ({
  run: (scene) => [...update(scene), '--force'],
  own: ({ filler }) => ({
    // Room for what lives shortly, which `starve` empties before the process gets no more.
    nodeArguments: ['--min-semi-space-size=64', '--import', path.join(import.meta.dirname, 'at-a-file.ts')],
    environment: { FAULT: fault, AT: moment.source, FILLER: filler },
  }),
})

const fullDisk = (phase: string, moment: RegExp, problems: readonly string[]): Fault =>
  stopping(`the disk is full ${phase}`, 'disk_full', 3, {
    ...atFile('fill', moment),
    needs: 'small disk',
    make: ({ filler }) => ({ undo: () => rmSync(filler, { force: true }) }),
    problems,
  })

/** Holds a database of the data folder as another process would. */
function hold(file: string): Made {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  return { undo: () => database.close() }
}

/**
 * Puts something else in place of a file, or nothing; what was there comes back, unless the program
 * made it anew.
 */
function replaced(file: string, text?: string): Made {
  const away = path.join(path.dirname(file), `.away-${path.basename(file)}`)
  renameSync(file, away)
  if (text !== undefined) writeFileSync(file, text)
  return {
    undo: () => {
      if (existsSync(away)) renameSync(away, file)
    },
  }
}

const published = ({ dataDir }: Scene, name: string): string => path.join(dataDir, 'published', 'current', name)

/** A file of the first segment. */
function segmentFile({ dataDir }: Scene): string {
  const folder = path.join(dataDir, 'raw', 'segments')
  const [segment = ''] = readdirSync(folder)
  const [file = ''] = readdirSync(path.join(folder, segment))
  return path.join(folder, segment, file)
}

/** The clock of this process, in which the service and the run are. */
function clockAt(instant: number): Made {
  vi.useFakeTimers({ toFake: ['Date'], now: instant })
  return { undo: () => vi.useRealTimers() }
}

const day = 86_400_000
const openTo = (folders: readonly string[], mode: number): void => {
  for (const folder of folders) chmodSync(folder, mode)
}
const unwritable = ({ dataDir }: Scene): string[] =>
  ['raw/segments', 'raw/headers', 'published', 'state'].map((name) => path.join(dataDir, name))

/** Every fault, and what must come of it. Whatever it is, what was published before is served. */
const faults: readonly Fault[] = [
  // An update continues with it; before, it scans no more than is published.
  {
    name: 'the journal is locked',
    make: ({ dataDir }) => hold(path.join(dataDir, 'state', 'runs.db')),
    run: idleUpdate,
    exitCode: 0,
    state: 'degraded',
    problems: ['journal_unreadable'],
  },
  {
    name: 'the journal is damaged',
    make: ({ dataDir }) => replaced(path.join(dataDir, 'state', 'runs.db'), 'x'.repeat(5_000)),
    state: 'degraded',
    problems: ['journal_unreadable'],
  },
  {
    name: 'the journal is damaged, which the next run replaces',
    make: ({ dataDir }) => replaced(path.join(dataDir, 'state', 'runs.db'), 'x'.repeat(5_000)),
    run: idleUpdate,
    exitCode: 0,
    state: 'ok',
    problems: [],
  },
  {
    name: 'a segment is damaged, which is scanned again',
    make: (scene) => replaced(segmentFile(scene), 'x'),
    run: idleUpdate,
    exitCode: 0,
    state: 'ok',
    problems: [],
  },
  {
    name: 'the clock is behind the newest block',
    make: () => clockAt(Date.UTC(2011, 1, 10)),
    run: idleUpdate,
    exitCode: 0,
    state: 'degraded',
    problems: ['clock_behind'],
  },
  // The files of the node.
  damage('most block files are missing', 'pruned', (blocks) => {
    for (const name of fileNames(blocks, 'blk').slice(0, -1)) rmSync(path.join(blocks, name))
  }),
  damage('a block file in the middle is missing', 'chain_incomplete', (blocks) =>
    rmSync(path.join(blocks, 'blk00004.dat')),
  ),
  damage('files that are not scanned yet are pruned', 'pruned', (blocks) => {
    for (const kind of ['blk', 'rev'] as const) {
      for (const name of fileNames(blocks, kind).slice(0, -1)) rmSync(path.join(blocks, name))
    }
  }),
  damage('all block files are gone', 'source_not_found', (blocks) => {
    for (const name of fileNames(blocks, 'blk')) rmSync(path.join(blocks, name))
  }),
  damage('the key xor.dat is missing', 'wrong_network', (blocks) => rmSync(path.join(blocks, 'xor.dat'))),
  damage('a block file is cut off', 'chain_incomplete', (blocks) =>
    truncateSync(path.join(blocks, 'blk00004.dat'), 2000),
  ),
  damage('an undo file is missing', 'undo_missing', (blocks) => rmSync(path.join(blocks, 'rev00004.dat'))),
  damage('a bit of a block is another', 'block_corrupt', (blocks) => {
    const file = new CoreFile(blocks, 'blk00004.dat')
    file.flipBit(file.record(3).offset + 120)
    file.save()
  }),
  damage('a bit of an undo record is another', 'undo_missing', (blocks) => {
    const file = new CoreFile(blocks, 'rev00004.dat')
    file.flipBit(file.record(3).offset + 3)
    file.save()
  }),
  stopping('block files may not be read', 'source_unreadable', 4, {
    needs: 'modes',
    make: ({ blocks }) => {
      chmodSync(blocks, 0)
      return { undo: () => chmodSync(blocks, 0o700) }
    },
    own: () => ({ isBoundByModes: true }),
  }),
  // The node.
  stopping(
    'the RPC refuses the password',
    'rpc_refused',
    4,
    answering(() => ({ status: 401, body: '' })),
  ),
  stopping(
    'what listens there is no RPC',
    'rpc_failed',
    4,
    answering(() => ({ status: 200, body: '<html>' })),
  ),
  stopping('nothing listens there', 'rpc_unreachable', 4, {
    make: () => ({ args: ['--rpc-url', 'http://127.0.0.1:1', '--rpc-user', 'ann'] }),
  }),
  stopping('the settings require the node, but its bitcoin.conf says nothing of use', 'rpc_unreachable', 4, {
    make: ({ blocks }) => {
      writeFileSync(path.join(blocks, 'bitcoin.conf'), 'rpcport=many\n[regtest\nrpcuser\n')
      return { args: ['--datadir', blocks, '--require-node'] }
    },
  }),
  stopping(
    'the node counts other sums',
    'audit_failed',
    5,
    answering((calls, { tip }) =>
      results(calls, ({ method }) => {
        const best = { bestblockhash: tip.hash, blocks: tip.height }
        switch (method) {
          case 'getblockchaininfo':
            return { ...best, chain: 'regtest', headers: tip.height, initialblockdownload: false, pruned: false }
          case 'getchainstates':
            return { headers: tip.height, chainstates: [{ ...best, validated: true }] }
          case 'gettxoutsetinfo':
            return { height: tip.height, bestblock: tip.hash, txouts: 1, total_amount: 1 }
          default:
            return networks.regtest.genesisHash
        }
      }),
    ),
  ),
  stopping('the cookie is of another node', 'rpc_refused', 4, {
    needs: 'node',
    run: ({ node }) => ['update', '--network', 'regtest', '--source', 'rpc', '--datadir', node?.datadir ?? ''],
    make: ({ node }) => {
      const file = cookieFile(node?.datadir ?? '', networks.regtest)
      const cookie = readFileSync(file)
      writeFileSync(file, '__cookie__:another')
      return { args: ['--rpc-url', node?.endpoint.url ?? ''], undo: () => writeFileSync(file, cookie) }
    },
  }),
  stopping('the node is stopped', 'rpc_unreachable', 4, {
    needs: 'node',
    run: ({ node }) => ['update', '--network', 'regtest', '--source', 'rpc', '--datadir', node?.datadir ?? ''],
    make: async ({ node }) => {
      const url = node?.endpoint.url ?? ''
      await node?.halt()
      return { args: ['--rpc-url', url] }
    },
  }),
  // The data folder.
  fullDisk('while blocks are scanned', /raw\/segments\/\.tmp/, ['update_failed', 'disk_full']),
  fullDisk('while tables are computed', /published\/\.tmp/, ['update_failed', 'disk_full']),
  // Removing unfinished files frees space.
  fullDisk('while they are published', /published\/.*generation\.json/, ['update_failed', 'disk_low']),
  fullDisk('before the run is journaled', /\/state$/, ['disk_full']),
  stopping('nothing may be written to the data folder', 'data_folder_unwritable', 3, {
    needs: 'modes',
    make: (scene) => {
      openTo(unwritable(scene), 0o500)
      const journal = path.join(scene.dataDir, 'state', 'runs.db')
      chmodSync(journal, 0o400)
      return {
        undo: () => {
          openTo(unwritable(scene), 0o700)
          chmodSync(journal, 0o600)
        },
      }
    },
    own: () => ({ isBoundByModes: true }),
    // The journal takes nothing either: the exit code and the log tell, and "start" from memory.
    state: 'ok',
    problems: [],
  }),
  stopping('another run writes', 'data_folder_in_use', 3, {
    make: ({ dataDir }) => hold(path.join(dataDir, 'state', 'lock.db')),
    state: 'ok',
    problems: [],
  }),
  stopping('the data folder is of another network', 'data_folder_mismatch', 3, {
    run: ({ blocks }) => ['update', '--network', 'signet', '--blocksdir', blocks],
  }),
  stopping('network.json is damaged', 'invalid_file', 2, {
    make: ({ dataDir }) => replaced(path.join(dataDir, 'raw', 'network.json'), '{'),
  }),
  {
    name: 'the record of sources is damaged',
    make: ({ dataDir }) => {
      writeFileSync(attemptsFile(dataDir), '{')
      return { undo: () => rmSync(attemptsFile(dataDir)) }
    },
    state: 'ok',
    problems: [],
  },
  {
    name: 'the description of the generation is damaged',
    make: (scene) => replaced(published(scene, 'generation.json'), '{'),
    state: 'failed',
    problems: ['generation_damaged'],
    statusState: 'data_not_ready',
  },
  {
    name: 'a table is missing',
    make: (scene) => replaced(published(scene, 'metrics_etfs.parquet')),
    state: 'failed',
    problems: ['generation_damaged'],
  },
  {
    name: 'a table is cut off',
    make: (scene) => replaced(published(scene, 'blocks.parquet'), 'PAR1'),
    state: 'failed',
    problems: ['generation_damaged'],
  },
  {
    name: 'the node that is followed is lost',
    make: ({ dataDir }) => {
      const journal = new RunJournal(dataDir)
      journal.begin('follow')
      journal.close()
      recordFollowing(dataDir)({ unreachableSince: Date.now() - 120_000 })
      return undefined
    },
    state: 'degraded',
    problems: ['node_unreachable'],
  },
  // The machine.
  stopping('MEMORY_LIMIT is too low', 'memory_exhausted', 3, {
    run: (scene) => [...update(scene), '--force'],
    make: () => ({ environment: { MEMORY_LIMIT: '10MB' } }),
  }),
  stopping('the system gives the process no more memory', 'memory_exhausted', 3, {
    ...atFile('starve', /published\/\.tmp/),
    needs: 'limits',
  }),
  {
    name: 'the run is killed',
    ...atFile('kill', /published\/\.tmp/),
    exitCode: null,
    state: 'failed',
    problems: ['update_failed'],
  },
  {
    name: 'the clock is 300 years ahead',
    make: () => clockAt(Date.UTC(2311, 1, 10)),
    state: 'stale',
    problems: ['tip_old'],
  },
  {
    name: 'the clock is an hour ahead of a source',
    make: async ({ dataDir }) => {
      const date = new Date(Date.now() - 3_600_000).toUTCString()
      const server = await serveSource(() => ({ status: 401, headers: { date }, body: { error: 'expired' } }))
      const environment = { ...addressed('sosovalue', server.url), SOURCES_SOSOVALUE_API_KEY: 'old' }
      const undo = async (): Promise<void> => {
        await server.close()
        rmSync(attemptsFile(dataDir))
      }
      return { environment, undo }
    },
    run: () => ['fetch', 'sosovalue'],
    exitCode: 4,
    code: 'market_source_failed',
    state: 'degraded',
    problems: ['fetch_failed', 'clock_ahead'],
  },
  {
    name: 'an update was missed',
    make: ({ dataDir }) => {
      const journal = new RunJournal(dataDir)
      journal.setDue('update', Date.now() - day)
      journal.close()
      return undefined
    },
    state: 'stale',
    problems: ['update_overdue'],
  },
  {
    name: 'the port is taken',
    make: async () => {
      const server = createServer()
      const url = await listen(server)
      return { args: ['--port', new URL(url).port], undo: () => server.close() }
    },
    run: () => ['serve'],
    isUnbegun: true,
    exitCode: 2,
    code: 'invalid_configuration',
    state: 'ok',
    problems: [],
  },
  {
    name: 'a setting cannot be used',
    make: () => ({ environment: { MEMORY_LIMIT: 'much' } }),
    run: update,
    isUnbegun: true,
    exitCode: 2,
    code: 'invalid_configuration',
    state: 'ok',
    problems: [],
  },
  // Market data.
  {
    name: 'the key of a source has expired',
    make: async () => {
      const server = await serveSource(() => ({ status: 401, body: { error: 'expired' } }))
      const environment = { ...addressed('sosovalue', server.url), SOURCES_SOSOVALUE_API_KEY: 'old' }
      return { environment, undo: server.close }
    },
    run: () => ['fetch', 'sosovalue'],
    exitCode: 4,
    code: 'market_source_failed',
    state: 'degraded',
    problems: ['fetch_failed'],
  },
  {
    name: 'a source is silent',
    make: ({ dataDir }) => {
      recordAttempt(dataDir, 'kraken', { at: Date.now() - 9 * day, outcome: 'ok' })
      recordAttempt(dataDir, 'kraken', { at: Date.now(), outcome: 'failed' })
      return { undo: () => rmSync(attemptsFile(dataDir)) }
    },
    state: 'degraded',
    problems: ['market_source_silent'],
  },
]

/** One of each kind, which meet the service in the first suite. */
const common: readonly string[] = [
  'the journal is damaged',
  'a bit of a block is another',
  'the RPC refuses the password',
  'the disk is full while blocks are scanned',
  'another run writes',
  'a table is cut off',
  'the run is killed',
  'an update was missed',
  'the key of a source has expired',
]
export const commonFaults = faults.filter(({ name }) => common.includes(name))
export const rareFaults = faults.filter(({ name }) => !common.includes(name))
