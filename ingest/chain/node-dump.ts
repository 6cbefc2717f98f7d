import { execFile } from 'node:child_process'
import {
  chmodSync,
  constants,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import { errorCode } from './file-errors.ts'
import type { Network } from './networks.ts'
import { hashSchema, heightSchema, RpcClient, RpcError } from './rpc.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import { readUtxoDump, type UtxoDump } from './utxo-dump.ts'

const answerSchema = z.object({
  coins_written: z.int(),
  base_hash: hashSchema,
  base_height: heightSchema,
  txoutset_hash: hashSchema,
})

/** The node writes for ten minutes, on slow disks for hours. */
const timeoutMs = 24 * 3_600_000
/** After the last byte. */
const answerTimeoutMs = 60_000
/** 52 on mainnet. */
const bytesPerCoin = 60

const dumpPath = (folder: string): string => path.join(folder, 'utxo.dat')
/** The node writes here and renames the file at the end. */
const pipePath = (folder: string): string => `${dumpPath(folder)}.incomplete`

/**
 * Lets the node write all unspent outputs at its tip and reads them meanwhile through a pipe in
 * `folder`, or where there are none, from a file. Node and caller must reach the folder, used by no
 * other run. `slots`: see `readUtxoDump`. Throws `audit_failed` if the node reports another hash.
 */
export async function dumpFromNode(
  endpoint: RpcEndpoint,
  network: Network,
  folder: string,
  expectedCoins: number,
  slots: Int32Array,
): Promise<UtxoDump> {
  mkdirSync(folder, { recursive: true })
  releasePipes(folder)
  chmodSync(folder, 0o711)
  const own = mkdtempSync(path.join(folder, 'dump-'))
  try {
    // The node, maybe another user, renames the file. Nobody can list the folder above, so this
    // name stays secret.
    chmodSync(own, 0o733)
    // A connection of its own: a request on a closed one would be sent twice.
    const ask = () => new RpcClient(endpoint).call('dumptxoutset', [dumpPath(own), 'latest'], answerSchema, timeoutMs)
    const isPipe = await makePipe(pipePath(own))
    const [answer, dump] = isPipe
      ? await readPipe(pipePath(own), ask, (chunks) => readUtxoDump(chunks, network, slots, 'what the node writes'))
      : await readFileOf(own, expectedCoins, ask, (chunks) => readUtxoDump(chunks, network, slots, dumpPath(own)))
    if (answer.base_hash !== dump.baseHash || answer.txoutset_hash !== dump.hash) {
      throw new CoinstrataError(
        'audit_failed',
        `the node wrote coins with the hash ${dump.hash} after block ${dump.baseHash}, but says that it wrote ${answer.txoutset_hash} after ${answer.base_hash}`,
        { cure: 'run it again; if it happens again, check the memory and disks of both machines' },
      )
    }
    return dump
  } finally {
    releasePipes(folder)
  }
}

/**
 * Removes pipes and files, and releases a node that waits for a pipe's reader, as after a crash: it
 * could not stop.
 */
export function releasePipes(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pipe = pipePath(path.join(folder, name))
    // The node opens it, fails to write, and gives up.
    if (isFifo(pipe)) openPipe(pipe).destroy()
    rmSync(path.join(folder, name), { recursive: true, force: true })
  }
}

const isFifo = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFIFO() ?? false

/** False where there are no named pipes. */
async function makePipe(file: string): Promise<boolean> {
  try {
    // The node may run as another user.
    await promisify(execFile)('mkfifo', ['-m', '622', file])
    return true
  } catch {
    return false
  }
}

/** Opens it for reading without waiting for the node. */
const openPipe = (file: string): Socket =>
  new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })

async function readPipe<A, D>(
  file: string,
  ask: () => Promise<A>,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<D>,
): Promise<[A, D]> {
  const socket = openPipe(file)
  let isComplete = false
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of socket) yield chunk
    isComplete = true
  }
  try {
    const answer = ask()
    // A node that never begins to write would leave the pipe open.
    answer.catch(() => socket.destroy())
    const [dump] = await Promise.allSettled([read(chunks())])
    const [said] = await Promise.allSettled([Promise.race([answer, failLater(dump)])])
    // A node whose reader gives up fails, too.
    if (dump.status === 'rejected' && !isComplete && dump.reason instanceof CoinstrataError) throw dump.reason
    if (said.status === 'rejected') throw explain(said.reason, file)
    if (dump.status === 'rejected') throw dump.reason
    return [said.value, dump.value]
  } finally {
    socket.destroy()
  }
}

/** Fails when the node has had time to answer. */
async function failLater(dump: PromiseSettledResult<unknown>): Promise<never> {
  await sleep(answerTimeoutMs, undefined, { ref: false })
  if (dump.status === 'rejected') throw dump.reason
  throw new CoinstrataError('rpc_unreachable', 'the node wrote all coins, but did not answer', {
    cure: 'check that the node is running well, then try again',
  })
}

async function readFileOf<A, D>(
  folder: string,
  expectedCoins: number,
  ask: () => Promise<A>,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<D>,
): Promise<[A, D]> {
  const { bavail, bsize } = statfsSync(folder)
  const needed = bytesPerCoin * expectedCoins
  if (bavail * bsize < needed) {
    throw new CoinstrataError(
      'disk_full',
      `${folder} has ${bavail * bsize} bytes free, but the node would write ${needed}`,
      {
        cure: 'free some space, or set DUMP_FOLDER to a folder on a larger disk',
      },
    )
  }
  const answer = await ask().catch((error: unknown) => {
    throw explain(error, dumpPath(folder))
  })
  return [answer, await readDumpFile(dumpPath(folder), read)]
}

function explain(error: unknown, file: string): unknown {
  if (!(error instanceof RpcError)) return error
  return new CoinstrataError('rpc_failed', `the node did not write its unspent outputs to ${file}: ${error.message}`, {
    cause: error,
    cure: 'set DUMP_FOLDER to a folder with enough space that this program and the node can both reach under the same path; Bitcoin Core 28 or newer is needed',
  })
}

/** Throws `invalid_file` for an unreadable file. */
export async function readDumpFile<D>(
  file: string,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<D>,
): Promise<D> {
  try {
    return await read(createReadStream(file, { highWaterMark: 1 << 20 }))
  } catch (cause) {
    if (errorCode(cause) !== 'EACCES' && errorCode(cause) !== 'ENOENT') throw cause
    throw new CoinstrataError(
      'invalid_file',
      `${file} ${existsSync(file) ? 'may not be read by this user' : 'does not exist'}`,
      {
        cause,
        cure: 'let this user read it: the node writes it for its own user and group',
      },
    )
  }
}
