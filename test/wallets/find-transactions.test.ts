import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RpcClient, RpcError } from '#ingest/chain/rpc.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { Random } from '#test/support/random.ts'
import { findTransactions, type Search, type WalletHistory } from '#wallets/find-transactions.ts'
import { computeLedger } from '#wallets/ledger.ts'
import { parseSources } from '#wallets/parse-sources.ts'
import { checkDescriptors, NodeRefusal, WalletNode } from '#wallets/wallet-node.ts'
import { NodeWallet, Payments, UnindexedNode } from './watched-chain.ts'

const bitcoind = findBitcoind()
const text = z.string()
const gap = 20

describe.skipIf(!bitcoind)('a wallet on regtest', () => {
  let node: TestNode
  let watching: WalletNode
  let own: NodeWallet
  let other: NodeWallet
  let payments: Payments
  let wallet: Search['wallet']
  let history: WalletHistory | undefined
  const said: string[] = []

  beforeAll(async () => {
    node = await startNode(bitcoind!, { args: ['-blockfilterindex=1', '-fallbackfee=0.0001', '-unsafesqlitesync'] })
    watching = new WalletNode(node.client)
    own = await NodeWallet.create(node, 'own')
    other = await NodeWallet.create(node, 'other')
    const [shared, bare] = await importScripts()
    await node.rpc('generatetoaddress', [101, await other.address()])
    await node.rpc('generatetoaddress', [8, await own.address()])
    for (const descriptor of bare) await node.rpc('generatetodescriptor', [1, descriptor])
    await node.rpc('generatetoaddress', [100, await other.address()])
    payments = new Payments(node, own, other, shared, new Random(329))
    const { descriptors } = parseSources([{ name: 'the export', text: await own.export() }], 'regtest')
    wallet = {
      network: 'regtest',
      // As if each were fresh: the export has the ranges that the node keeps.
      descriptors: (await checkDescriptors(watching, descriptors)).map((each) => ({ ...each, used: 0 })),
    }
  }, 120_000)
  afterAll(() => node?.stop())

  /** An address of which one of two keys signs, and scripts without addresses. */
  async function importScripts(): Promise<[shared: string, bare: string[]]> {
    const [first, second] = await Promise.all([own, other].map(privateKey))
    const info = z.object({ descriptor: text, checksum: text })
    const expressions = [
      `wsh(sortedmulti(1,${first}/7/*,${second}/7/*))`,
      `pk(${first}/8)`,
      `multi(1,${second}/9,${first}/9)`,
    ]
    const watched: string[] = []
    for (const secret of expressions) {
      const { checksum, descriptor } = await node.rpc('getdescriptorinfo', [secret], info)
      const range = secret.includes('*') ? [0, 50] : undefined
      const request = { desc: `${secret}#${checksum}`, timestamp: 'now', range }
      await own.rpc('importdescriptors', [[request]], z.tuple([z.object({ success: z.literal(true) })]))
      watched.push(descriptor)
    }
    const [address] = await node.rpc('deriveaddresses', [watched[0], [3, 3]], z.tuple([text]))
    return [address, watched.slice(1)]
  }

  async function privateKey(of: NodeWallet): Promise<string> {
    const schema = z.object({ descriptors: z.array(z.object({ desc: text })) })
    const { descriptors } = await of.rpc('listdescriptors', [true], schema)
    return /tprv\w+/.exec(descriptors[0]!.desc)![0]
  }

  const search = (): Search => ({ node: watching, wallet, gap, say: (line) => said.push(line) })

  async function find(by: WalletNode = watching): Promise<WalletHistory> {
    history = await findTransactions({ ...search(), node: by }, history)
    return history
  }

  const ledgerOf = ({ transactions }: WalletHistory) =>
    computeLedger({
      ...{ transactions, method: 'output', priceAt: () => 1, closeOn: () => 1, paid: new Map(), lastDay: 0 },
    })

  /** What the node finds among all unspent outputs. */
  async function unspent(): Promise<string[]> {
    const objects = wallet.descriptors.map(({ descriptor, is_range }) =>
      is_range ? { desc: descriptor, range: 400 } : descriptor,
    )
    const schema = z.object({ unspents: z.array(z.object({ txid: text, vout: z.int(), amount: z.number() })) })
    const { unspents } = await node.rpc('scantxoutset', ['start', objects], schema)
    return unspents.map(({ txid, vout, amount }) => `${txid}:${vout} ${Math.round(amount * 1e8)}`).sort()
  }

  async function expectSameAsNode(by?: WalletNode): Promise<void> {
    const { coins } = ledgerOf(await find(by))
    expect(coins.map(({ outpoint, sats }) => `${outpoint} ${sats}`).sort()).toEqual(await unspent())
  }

  test('the mined coins are found, and unused scripts stay watched', async () => {
    await expectSameAsNode()
    expect(history!.transactions).toHaveLength(10)
    expect(history!.transactions.every(({ is_coinbase, fee_sats }) => is_coinbase && fee_sats === 0)).toBe(true)
    // Scripts with one public key, and with one of two.
    expect(history!.scripts.filter((script) => /^21.{66}ac$|^51(21.{66}){2}52ae$/.test(script))).toHaveLength(2)
    const counts = Object.values(history!.addresses).map(({ length }) => length)
    expect(counts.sort((a, b) => a - b).slice(-2)).toEqual([gap, 2 * gap])
  })

  test('its coins are those of the node after every block, and after replaced blocks', async () => {
    const random = new Random(19)
    const listed = z.array(z.object({ txid: text, vout: z.int(), address: text.optional() }))
    const bare = (await own.rpc('listunspent', [], listed)).filter(({ address }) => address === undefined)
    const inputs = bare.map(({ txid, vout }) => ({ txid, vout }))
    expect(inputs).toHaveLength(2)
    await own.rpc('sendall', [[await other.address()], null, 'unset', 5, { inputs }], z.unknown())
    for (let block = 0; block < 24; block++) {
      await payments.any()
      await node.rpc('generatetoaddress', [1, await (random.next() < 0.2 ? own : other).address()])
      if (block % 8 === 7) {
        const height = await node.rpc('getblockcount', [], z.int())
        const stale = await node.rpc('getblockhash', [height - random.between(0, 3)], text)
        await node.rpc('invalidateblock', [stale])
        // Other transactions than before, and in other blocks.
        await payments.any()
        await node.rpc('generatetoaddress', [5, await other.address()])
        await node.rpc('reconsiderblock', [stale])
      }
      await expectSameAsNode(block % 2 === 0 ? watching : new UnindexedNode(node.client))
      await node.rpc('syncwithvalidationinterfacequeue')
      const { mine } = await own.rpc('getbalances', [], balances)
      const { transactions } = history!
      const total = ledgerOf(history!).coins.reduce((sum, { sats }) => sum + sats, 0)
      const unconfirmed = (await node.rpc('getrawmempool', [], z.array(text))).length > 0
      // After replaced blocks, the wallet of the node lacks coins that lost transactions had spent.
      if (!unconfirmed && block < 7) expect(total).toBe(Math.round((mine.trusted + mine.immature) * 1e8))
      expect(new Set(transactions.map(({ txid }) => txid)).size).toBe(transactions.length)
    }
    const kinds = history!.transactions.map(({ spent, created }) => `${spent.length > 0}${created.length > 0}`)
    expect(new Set(kinds)).toEqual(new Set(['falsetrue', 'truetrue', 'truefalse']))
  }, 240_000)
  const balances = z.object({ mine: z.object({ trusted: z.number(), immature: z.number() }) })

  test('continuing finds the same as beginning, with the index and without', async () => {
    // Scripts of replaced blocks stay watched.
    const { transactions, tip } = await findTransactions(search())
    expect(transactions).toEqual(history!.transactions)
    expect(tip).toEqual(history!.tip)
    const parts: WalletHistory[] = []
    const unindexed = new UnindexedNode(node.client)
    const inPasses = { ...search(), node: unindexed, passBlocks: 100, keep: (part: WalletHistory) => parts.push(part) }
    const read = await findTransactions(inPasses)
    expect(read.transactions).toEqual(transactions)
    expect(read.tip).toEqual(tip)
    expect(unindexed.calls).not.toContain('scanblocks')
    // Each part is one to continue from, in either way.
    expect(parts.map((part) => part.tip.height)).toEqual([100, 200])
    for (const [i, by] of [search(), inPasses].entries()) {
      const { tip, transactions: first } = parts[i]!
      expect(first).toEqual(transactions.filter(({ height }) => height <= tip.height))
      expect((await findTransactions(by, parts[i])).transactions).toEqual(transactions)
    }
  })

  test('a history of blocks that the node never saw is replaced', async () => {
    const unknown = { ...history!, tip: { height: 20, hash: 'f'.repeat(64) } }
    expect((await findTransactions(search(), unknown)).transactions).toEqual(history!.transactions)
  })

  test('fees and times are those of the node', async () => {
    const all = z.array(z.object({ txid: text, category: text, fee: z.number().optional() }))
    const listed = await own.rpc('listtransactions', ['*', 10_000], all)
    let fees = 0
    const inputs = z.object({ vin: z.array(z.unknown()) })
    for (const { txid, height, time, fee_sats, spent } of history!.transactions) {
      const entries = listed.filter((entry) => entry.txid === txid)
      const block = await node.rpc('getblockhash', [height], text)
      const whole = await node.rpc('getblock', [block, 1], z.object({ time: z.int(), tx: z.array(text) }))
      expect(whole.time).toBe(time)
      expect(whole.tx).toContain(txid)
      const { vin } = await node.rpc('getrawtransaction', [txid, 1, block], inputs)
      const fee = entries.find((entry) => entry.fee !== undefined)?.fee
      // With inputs of others, the node gives no fee.
      if (vin.length !== spent.length || fee === undefined) continue
      expect(fee_sats).toBe(Math.round(-fee * 1e8))
      fees++
    }
    expect(fees).toBeGreaterThan(5)
  })

  /** A node that answers some calls otherwise, the first times that they are made. */
  class OtherNode extends WalletNode {
    readonly calls: string[] = []
    maxBatch = 0
    /** Last block of each scan. */
    readonly scannedTo: unknown[] = []
    readonly #answer: (method: string, count: number) => unknown

    constructor(answer: (method: string, count: number) => unknown) {
      super(node.client)
      this.#answer = answer
    }

    override async callEach<T>(
      method: string,
      lists: readonly (readonly unknown[])[],
      schema: z.ZodType<T>,
    ): Promise<T> {
      this.calls.push(method)
      this.maxBatch = Math.max(this.maxBatch, lists.length)
      if (method === 'scanblocks') this.scannedTo.push(lists[0]?.[3])
      const given = await this.#answer(method, this.calls.filter((each) => each === method).length)
      if (given instanceof Error) throw given
      return given === undefined ? super.callEach(method, lists, schema) : schema.parse([given])
    }
  }

  const findBy = (watched: WalletNode, known?: WalletHistory) => findTransactions({ ...search(), node: watched }, known)

  test('many addresses need few searches, and many transactions several calls', async () => {
    const receiving = wallet.descriptors.find(({ descriptor }) => descriptor.startsWith('wpkh'))!
    const addresses = await node.rpc('deriveaddresses', [receiving.descriptor, [0, 99]], z.array(text))
    await other.rpc('sendmany', ['', Object.fromEntries(addresses.map((address) => [address, 0.001]))], text)
    await node.rpc('generatetoaddress', [1, await other.address()])
    const watched = new OtherNode(() => undefined)
    const found = await findTransactions({
      ...search(),
      ...{ node: watched, wallet: { network: 'regtest', descriptors: [receiving] } },
    })
    expect(found.transactions.at(-1)!.created).toHaveLength(100)
    // Ranges double from 20 addresses to 160.
    expect(watched.calls.filter((method) => method === 'scanblocks')).toHaveLength(4)
    await expectSameAsNode()
    await findBy(watched)
    expect(watched.maxBatch).toBeLessThanOrEqual(20)
  })

  test('blocks that the index lacks are read whole, because scans skip them', async () => {
    const behind = { 'basic block filter index': { best_block_height: 120 } }
    const watched = new OtherNode((method) => (method === 'getindexinfo' ? behind : undefined))
    expect((await findBy(watched)).transactions).toEqual(history!.transactions)
    expect(new Set(watched.scannedTo)).toEqual(new Set([110]))
  })

  test('another scan is waited for', async () => {
    const busy = new NodeRefusal(
      'scanblocks',
      new RpcError('', -8, 'Scan already in progress, use action "abort" or "status"'),
    )
    const watched = new OtherNode((method, count) => (method === 'scanblocks' && count === 1 ? busy : undefined))
    expect((await findBy(watched)).transactions).toEqual(history!.transactions)
  })

  test('a scan that somebody ended is no result', async () => {
    const ended = { from_height: 1, to_height: 5, relevant_blocks: [], completed: false }
    const watched = new OtherNode((method) => (method === 'scanblocks' ? ended : undefined))
    await expect(findBy(watched)).rejects.toMatchObject({
      code: 'rpc_failed',
      message: expect.stringContaining('block 5'),
    })
  })

  test('blocks that are replaced while they are read make it continue from the fork', async () => {
    const { height } = history!.tip
    const stale = await node.rpc('getblockhash', [height - 1], text)
    const kept: number[] = []
    let replacing: Promise<undefined> | undefined
    const watched = new OtherNode((method) => {
      if (method === 'getindexinfo') return {}
      if (method === 'getdescriptoractivity' && kept.at(-1) === 200) replacing ??= replace()
      return replacing
    })
    const replace = async (): Promise<undefined> => {
      await node.rpc('invalidateblock', [stale])
      await node.rpc('generatetoaddress', [4, await own.address()])
      await node.rpc('reconsiderblock', [stale])
    }
    const keep = ({ tip }: WalletHistory): unknown => kept.push(tip.height)
    const found = await findTransactions({ ...search(), node: watched, passBlocks: 100, keep })
    expect(found.tip.height).toBe(height + 2)
    await expectSameAsNode()
    expect(history!.transactions).toEqual(found.transactions)
    // Three passes, the last of which is repeated.
    expect(watched.calls.filter((method) => method === 'getindexinfo')).toHaveLength(4)
    // The same error on an unchanged chain is one.
    const gone = new NodeRefusal('getdescriptoractivity', new RpcError('', -5, 'Block is not in main chain'))
    const failing = new OtherNode((method) => (method === 'getdescriptoractivity' ? gone : undefined))
    await expect(findBy(failing)).rejects.toThrow('could not answer getdescriptoractivity')
  })

  test('after a block, only that block is searched', async () => {
    await payments.receive()
    await node.rpc('generatetoaddress', [1, await other.address()])
    const watched = new OtherNode(() => undefined)
    const before = history!.transactions.length
    history = await findBy(watched, history)
    expect(history.transactions.length).toBe(before + 1)
    expect(watched.calls.filter((method) => method === 'getdescriptoractivity').length).toBeLessThanOrEqual(2)
    expect(watched.calls).not.toContain('scanblocks')
    await expectSameAsNode()
  })

  test('errors of the node quote neither keys nor addresses', async () => {
    const { descriptor } = wallet.descriptors[0]!
    const watched = new WalletNode(node.client)
    const calls = [
      watched.call('deriveaddresses', [`${descriptor.slice(0, -2)}zz`, [0, 1]], z.unknown()),
      watched.call('getdescriptorinfo', [descriptor.replace('(', '(x')], z.unknown()),
      watched.call('getdescriptorinfo', [descriptor], z.number()),
    ]
    // At once, since a rejection that nobody awaits yet fails the run.
    const errors = await Promise.all(calls.map((call) => call.catch((cause: unknown) => cause)))
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'rpc_failed' })
      expect(JSON.stringify([String(error), error])).not.toMatch(/tpub|\/0\/\*|#/)
    }
  })

  /** Answers some calls as another node. */
  class OtherClient extends RpcClient {
    readonly #answers: Readonly<Record<string, unknown>>

    constructor(answers: Readonly<Record<string, unknown>>) {
      super(node.endpoint)
      this.#answers = answers
    }

    override async call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
      const given = this.#answers[method]
      if (given instanceof Error) throw given
      return given === undefined ? super.call(method, params, schema) : schema.parse(given)
    }
  }

  test('a node that is older or lacks blocks knows what is unspent, which is said', async () => {
    const old = new OtherClient({ getdescriptoractivity: new RpcError('', -32_601, 'Method not found') })
    const behind = { blocks: 1, bestblockhash: await node.rpc('getblockhash', [1], text), validated: true }
    const { height: blocks, hash: bestblockhash } = history!.tip
    const chainstates = [behind, { blocks, bestblockhash, validated: false }]
    const times = new Map(history!.transactions.map(({ txid, time }) => [txid, time]))
    for (const client of [old, new OtherClient({ getchainstates: { chainstates } })]) {
      watching = new WalletNode(client)
      // A history that is known says more.
      await expect(findTransactions(search(), history)).rejects.toMatchObject({ code: 'data_not_ready' })
      const found = await findTransactions(search())
      expect(found.way).toBe('unspent')
      expect(said.at(-1)).toContain('only coins that are unspent now')
      const coins = ledgerOf(found).coins.map(({ outpoint, sats }) => `${outpoint} ${sats}`)
      expect(coins.sort()).toEqual(await unspent())
      expect(found.transactions.every(({ txid, time }) => times.get(txid) === time)).toBe(true)
    }
  })

  test('a node that loses its index, or has all blocks at last, gives the same history', async () => {
    await node.restart(['-fallbackfee=0.0001'])
    watching = new WalletNode(node.client)
    const unspentOnly: WalletHistory = { ...history!, way: 'unspent', transactions: [], scripts: [], addresses: {} }
    for (const before of [history, unspentOnly])
      expect((await findTransactions(search(), before)).transactions).toEqual(history!.transactions)
  })
})
