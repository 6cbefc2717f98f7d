import { mkdirSync } from 'node:fs'
import { Block, crypto, Transaction } from 'bitcoinjs-lib'
import { networks } from '#ingest/chain/networks.ts'
import { BlockStorage } from '#ingest/simulated/block-storage.ts'
import { encodeUndo, type SpentOutput } from '#ingest/simulated/undo-record.ts'
import { buildTransaction, type Coin, isOpen, openLocks, openScript, type Spending, spending } from './coins.ts'
import { Random } from './random.ts'

const { regtest } = networks
const easiestBits = 0x207f_ffff
const hour = 3600

/** The coinbase of the genesis block on mainnet and regtest. */
const genesisCoinbase =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65' +
  '732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062' +
  '616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4c' +
  'ef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000'

export interface MadeBlock {
  readonly block: Block
  readonly undo: readonly (readonly SpentOutput[])[]
}

/**
 * A regtest chain with this many blocks above genesis, eight hours apart, each with some
 * transactions. Longer chains begin with the blocks of shorter ones; after `fork` the blocks are
 * those of another branch. With `keys`, half of the payments go to P2PKH and P2WPKH addresses of so
 * many keys; they are spent without signatures, which no node would accept.
 */
export function makeChain(blocks: number, fork = blocks, keys = 0): MadeBlock[] {
  const trunk = new Random(20_110_202)
  const branch = new Random(fork)
  const chain: MadeBlock[] = [{ block: genesis(), undo: [] }]
  let coins: Coin[] = []
  const scripts = new Map<string, Uint8Array>()
  const outputOf = (coin: Coin): SpentOutput => ({
    sats: coin.sats,
    height: coin.height,
    coinbase: coin.coinbase,
    script: scripts.get(`${coin.txid}:${coin.index}`) ?? scriptOf(coin),
  })
  for (let height = 1; height <= blocks; height++) {
    const random = height > fork ? branch : trunk
    const spendings = Array.from({ length: Math.min(coins.length, random.between(0, 4)) }, () =>
      spend([random.take(coins)!], height, random, keys),
    )
    const previous = chain[height - 1]!.block
    const block = new Block()
    block.version = 4
    block.prevHash = previous.getHash()
    block.timestamp = previous.timestamp + 8 * hour
    block.bits = easiestBits
    const fees = spendings.reduce((sum, { feeSats }) => sum + feeSats, 0)
    const coinbase = rewardOf(height, regtest.initialSubsidySats / 2 ** Math.floor(height / 150) + fees)
    block.transactions = [coinbase, ...spendings.map(({ transaction }) => transaction)]
    commitToWitnesses(block.transactions)
    block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
    while (!block.checkProofOfWork()) block.nonce++
    chain.push({ block, undo: spendings.map(({ spent }) => spent.map(outputOf)) })
    for (const { transaction } of spendings) {
      for (const [index, { script }] of transaction.outs.entries())
        scripts.set(`${transaction.getId()}:${index}`, script)
    }
    const sats = Number(coinbase.outs[0]!.value)
    const reward: Coin = { txid: coinbase.getId(), index: 0, sats, lock: 'wsh', height, coinbase: true }
    coins = [...coins, reward, ...spendings.flatMap(({ made }) => made)]
  }
  return chain
}

function genesis(): Block {
  const block = new Block()
  block.version = 1
  block.prevHash = new Uint8Array(32)
  block.timestamp = 1_296_688_602
  block.bits = easiestBits
  block.nonce = 2
  block.transactions = [Transaction.fromHex(genesisCoinbase)]
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
  return block
}

function spend(coins: readonly Coin[], height: number, random: Random, keys: number): Spending {
  const total = coins.reduce((sum, { sats }) => sum + sats, 0)
  const paid = total - random.between(0, Math.min(total, 1000))
  // With keys, some outputs have no value.
  const first = keys > 0 && random.next() < 0.15 ? 0 : random.between(0, paid)
  const payments = [first, paid - first].map((sats) => {
    const lock = random.pick(openLocks)
    return { lock, sats, script: keys > 0 && random.next() < 0.5 ? keyScript(random, keys) : openScript(lock) }
  })
  return spending(buildTransaction(coins, payments), coins, payments, height)
}

function rewardOf(height: number, sats: number): Transaction {
  const transaction = new Transaction()
  const script = Buffer.alloc(5)
  script[0] = 4
  script.writeUInt32LE(height, 1)
  transaction.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, script)
  transaction.addOutput(openScript('wsh'), BigInt(sats))
  return transaction
}

/** Adds the witness commitment to the coinbase of a block (BIP141). */
export function commitToWitnesses(transactions: readonly Transaction[]): void {
  if (!transactions.some((transaction) => transaction.hasWitnesses())) return
  const [coinbase] = transactions
  coinbase!.setWitness(0, [new Uint8Array(32)])
  const commitment = Block.calculateMerkleRoot([...transactions], true)
  coinbase!.addOutput(Buffer.concat([Buffer.from('6a24aa21a9ed', 'hex'), commitment]), 0n)
}

function scriptOf({ lock }: Coin): Uint8Array {
  if (!isOpen(lock)) throw new Error(`nobody made a coin locked by ${lock}`)
  return openScript(lock)
}

function keyScript(random: Random, keys: number): Uint8Array {
  const hash = crypto.hash160(Uint8Array.of(random.between(0, keys - 1) & 0xff, keys & 0xff))
  const [before, after] = random.next() < 0.5 ? ['76a914', '88ac'] : ['0014', '']
  return Buffer.concat([Buffer.from(before, 'hex'), hash, Buffer.from(after, 'hex')])
}

/**
 * Writes the first blocks of a chain as a node does, into small files; the next block is cut off in
 * the middle. Heights that are not stored are left out.
 */
export async function writeChain(
  folder: string,
  chain: readonly MadeBlock[],
  blocks: number,
  isStored: (height: number) => boolean = () => true,
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const key = Buffer.from('5c0a94e11f37d2b8', 'hex')
  const storage = new BlockStorage({ folder, magic: regtest.magic, key, fileBytes: 2 ** 14 })
  for (const [height, { block, undo }] of chain.slice(0, blocks + 1).entries()) {
    if (!isStored(height)) continue
    storage.add({
      bytes: block.toBuffer(),
      previousHash: block.prevHash!,
      undo: height === 0 ? undefined : encodeUndo(undo),
      connectionOrder: height,
      arrivalOrder: height,
    })
  }
  await storage.finish(chain[blocks + 1]!.block.toBuffer())
}
