import { z } from 'zod'
import { readAuthorization } from '#ingest/chain/rpc-endpoint.ts'
import type { TestNode } from '#test/support/bitcoind.ts'
import type { Random } from '#test/support/random.ts'
import { WalletNode } from '#wallets/wallet-node.ts'

/** Answers as a node without an index of block filters. */
export class UnindexedNode extends WalletNode {
  readonly calls: string[] = []

  override async callEach<T>(method: string, lists: readonly (readonly unknown[])[], schema: z.ZodType<T>): Promise<T> {
    this.calls.push(method)
    return method === 'getindexinfo' ? schema.parse([{}]) : super.callEach(method, lists, schema)
  }
}

const text = z.string()
const unspentSchema = z.array(z.object({ txid: text, vout: z.int(), amount: z.number(), safe: z.boolean() }))
type Unspent = z.infer<typeof unspentSchema>[number]

/** A wallet of the node, with the keys that a test spends with. */
export class NodeWallet {
  readonly #node: TestNode
  readonly #name: string

  private constructor(node: TestNode, name: string) {
    this.#node = node
    this.#name = name
  }

  static async create(node: TestNode, name: string): Promise<NodeWallet> {
    await node.rpc('createwallet', [name])
    return new NodeWallet(node, name)
  }

  async rpc<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
    const { url, credentials } = this.#node.endpoint
    const response = await fetch(`${url}/wallet/${this.#name}`, {
      method: 'POST',
      headers: { authorization: readAuthorization(credentials) },
      body: JSON.stringify({ id: 0, method, params }),
    })
    const { result, error } = z.object({ result: z.unknown(), error: z.unknown() }).parse(await response.json())
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return schema.parse(result)
  }

  address(type = 'bech32'): Promise<string> {
    return this.rpc('getnewaddress', ['', type], text)
  }

  unspent(): Promise<Unspent[]> {
    return this.rpc('listunspent', [1], unspentSchema)
  }

  /** Public descriptors, as `listdescriptors` exports them. */
  async export(): Promise<string> {
    return JSON.stringify(await this.rpc('listdescriptors', [], z.unknown()))
  }
}

export const addressTypes = ['legacy', 'p2sh-segwit', 'bech32', 'bech32m'] as const

const processed = z.object({ psbt: z.string(), complete: z.boolean() })
const round = (coins: number): number => Math.round(coins * 1e8) / 1e8

/** Random payments of one wallet to, from and with another. */
export class Payments {
  readonly #random: Random
  readonly #own: NodeWallet
  readonly #other: NodeWallet
  readonly #node: TestNode
  /** Address of a script that the node's wallet does not create by itself. */
  readonly #shared: string

  constructor(node: TestNode, own: NodeWallet, other: NodeWallet, shared: string, random: Random) {
    this.#node = node
    this.#own = own
    this.#other = other
    this.#shared = shared
    this.#random = random
  }

  #ownAddress(): Promise<string> {
    if (this.#random.next() < 0.2) return Promise.resolve(this.#shared)
    return this.#own.address(this.#random.pick(addressTypes))
  }

  #send(from: NodeWallet, to: string, coins: number): Promise<string> {
    const named = [to, round(coins), '', '', false, true, null, 'unset', null, 5]
    return from.rpc('sendtoaddress', named, text)
  }

  async receive(): Promise<void> {
    await this.#send(this.#other, await this.#ownAddress(), 0.2 + this.#random.next())
  }

  async spend(): Promise<string> {
    return this.#send(
      this.#own,
      await this.#other.address(this.#random.pick(addressTypes)),
      0.1 + this.#random.next() / 4,
    )
  }

  async payOneself(): Promise<void> {
    await this.#send(this.#own, await this.#ownAddress(), 0.1 + this.#random.next() / 4)
  }

  /** Several coins in one, of which nothing leaves but the fee. */
  async consolidate(): Promise<void> {
    const coins = (await this.#own.unspent()).slice(0, 3)
    const total = coins.reduce((sum, { amount }) => sum + amount, 0)
    if (coins.length < 2 || total < 0.01) return
    await this.#spendCoins(coins, { [await this.#ownAddress()]: round(total - 0.0001) })
  }

  /** A payment of which a replacement with a higher fee is mined. */
  async replace(): Promise<void> {
    const txid = await this.spend()
    await this.#own.rpc('bumpfee', [txid], z.unknown())
  }

  /** Both wallets put in and get back equal amounts. */
  async join(): Promise<void> {
    const [own] = (await this.#own.unspent()).filter(({ amount }) => amount > 0.2)
    const [other] = (await this.#other.unspent()).filter(({ amount }) => amount > 0.2)
    if (!own || !other) return
    const outputs = [
      { [await this.#ownAddress()]: 0.1 },
      { [await this.#other.address()]: 0.1 },
      { [await this.#ownAddress()]: round(own.amount - 0.1001) },
      { [await this.#other.address()]: round(other.amount - 0.1001) },
    ]
    await this.#spendCoins([own, other], ...outputs)
  }

  async #spendCoins(coins: readonly Unspent[], ...outputs: Readonly<Record<string, number>>[]): Promise<void> {
    const inputs = coins.map(({ txid, vout }) => ({ txid, vout }))
    const created = await this.#node.rpc('createpsbt', [inputs, outputs], text)
    const [one, other] = await Promise.all(
      [this.#own, this.#other].map((wallet) => wallet.rpc('walletprocesspsbt', [created], processed)),
    )
    const combined = await this.#node.rpc('combinepsbt', [[one!.psbt, other!.psbt]], text)
    const { hex } = await this.#node.rpc('finalizepsbt', [combined], z.object({ hex: text }))
    await this.#node.rpc('sendrawtransaction', [hex], text)
  }

  /** One to three payments. */
  async any(): Promise<void> {
    const kinds = ['receive', 'receive', 'spend', 'payOneself', 'consolidate', 'replace', 'join'] as const
    for (let left = this.#random.between(1, 3); left > 0; left--) {
      await this[this.#random.pick(kinds)]().catch((error: unknown) => {
        // After replaced blocks, the wallet of the node lacks coins that lost transactions had spent.
        if (!String(error).includes('Insufficient funds')) throw error
      })
    }
  }
}
