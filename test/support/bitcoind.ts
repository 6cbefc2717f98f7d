import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { networks } from '#ingest/chain/networks.ts'
import { RpcClient } from '#ingest/chain/rpc.ts'
import { cookieFile, type RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { type LaunchedProcess, launch } from './launch.ts'

/**
 * The node's program: `BITCOIND` (the program or its folder), else from PATH; undefined if there is
 * none.
 */
export function findBitcoind(): string | undefined {
  const named = process.env.BITCOIND
  if (named) {
    const program = statSync(named, { throwIfNoEntry: false })?.isDirectory() ? path.join(named, 'bitcoind') : named
    if (!existsSync(program)) throw new Error(`BITCOIND is ${named}, where there is no bitcoind`)
    return program
  }
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => path.join(folder, 'bitcoind')).find((program) => existsSync(program))
}

const networkOptions = {
  mainnet: [],
  testnet3: ['-testnet'],
  testnet4: ['-testnet4'],
  signet: ['-signet'],
  regtest: ['-regtest'],
}

type ChainName = keyof typeof networkOptions

/** A real node without peers, in its own data directory, which `stop` removes. */
export class TestNode {
  readonly network: ChainName
  readonly datadir = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-node-'))
  readonly #program: string
  #port: number | undefined
  #process: LaunchedProcess | undefined
  #endpoint: RpcEndpoint | undefined
  #client: RpcClient | undefined

  constructor(program: string, network: ChainName) {
    this.network = network
    this.#program = program
  }

  get blocksFolder(): string {
    return path.join(this.datadir, networks[this.network].datadirFolder, 'blocks')
  }

  get endpoint(): RpcEndpoint {
    if (!this.#endpoint) throw new Error('the node is not running')
    return this.#endpoint
  }

  get client(): RpcClient {
    if (!this.#client) throw new Error('the node is not running')
    return this.#client
  }

  /**
   * Calls a method of the node, or of its only loaded wallet. Without a schema the result is
   * unknown.
   */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>
  rpc<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T>
  rpc(method: string, params: readonly unknown[] = [], schema: z.ZodType = z.unknown()): Promise<unknown> {
    return this.client.call(method, params, schema)
  }

  async start(args: readonly string[] = []): Promise<void> {
    this.#port ??= await freePort()
    const options = [
      ...networkOptions[this.network],
      `-datadir=${this.datadir}`,
      `-rpcport=${this.#port}`,
      '-server',
      '-listen=0',
      '-connect=0',
      '-persistmempool=0',
      '-printtoconsole=0',
      ...args,
    ]
    const credentials = { cookieFile: cookieFile(this.datadir, networks[this.network]) }
    // A killed node leaves its cookie.
    rmSync(credentials.cookieFile, { force: true })
    const child = launch(this.#program, options)
    let complaints = ''
    child.stderr.on('data', (chunk) => {
      complaints += String(chunk)
    })
    this.#process = child
    this.#endpoint = { url: `http://127.0.0.1:${this.#port}`, credentials }
    this.#client = new RpcClient(this.#endpoint)
    const deadline = Date.now() + 60_000
    while (!existsSync(credentials.cookieFile)) {
      if (child.exitCode !== null || Date.now() > deadline) {
        await this.stop()
        throw new Error(`bitcoind did not start (exit code ${child.exitCode}): ${complaints}`)
      }
      await sleep(20)
    }
    await this.rpc('getblockcount')
  }

  /** Stops the node and keeps its files. */
  async halt(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    this.#client = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    // On SIGTERM the node flushes and exits, as by RPC.
    child.kill('SIGTERM')
    const killer = setTimeout(() => child.kill('SIGKILL'), 30_000)
    await ended
    clearTimeout(killer)
  }

  /** Restarts on the same port, with a new cookie. */
  async restart(args: readonly string[] = []): Promise<void> {
    await this.halt()
    await this.start(args)
  }

  /** Stops the node and removes its files. */
  async stop(): Promise<void> {
    await this.halt()
    rmSync(this.datadir, { recursive: true, force: true })
  }
}

/** Starts a real node; call `stop` in the end. */
export async function startNode(
  program: string,
  options: { network?: ChainName; args?: readonly string[] } = {},
): Promise<TestNode> {
  const node = new TestNode(program, options.network ?? 'regtest')
  await node.start(options.args)
  return node
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
