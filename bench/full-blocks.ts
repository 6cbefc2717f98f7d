import { readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { blockFile, openBlockFolder, undoFile } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { hashAt } from '#ingest/chain/header-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import { blockBody, buildBlock } from '#ingest/simulated/block.ts'
import { BlockStorage } from '#ingest/simulated/block-storage.ts'
import { buildCoinbase } from '#ingest/simulated/coinbase.ts'
import { OutputScripts } from '#ingest/simulated/output-scripts.ts'
import { Random, RandomBytes } from '#ingest/simulated/random.ts'
import { encodeUndo } from '#ingest/simulated/undo-record.ts'
import { fullBlockDay, fullTransactions, unknownHeight } from './full-transactions.ts'
import { blockTime } from './header-files.ts'

const seed = 1
/** Consecutive blocks with the same transactions, except for their inputs. */
const repeats = 24
const fileBytes = 2 ** 27

/** Height of the block that created a spent output. */
type DrawCreation = (random: Random, height: number, tipHeight: number) => number

const anyHeight: DrawCreation = (random, _, tipHeight) => 1 + random.integer(tipHeight)

/** Writes full blocks on top of the chain in `blocksFolder`, spending outputs of earlier blocks. */
export async function writeFullBlocks(
  target: string,
  blocksFolder: string,
  cacheFolder: string,
  blocks: number,
  drawCreation = anyHeight,
): Promise<void> {
  const folder = openBlockFolder(blocksFolder)
  const { chain } = (await readBlockTree(folder, networks.regtest, cacheFolder)).bestChain()
  const bytes = new RandomBytes(seed)
  const scripts = new OutputScripts(seed, bytes)
  const { magic } = networks.regtest
  const storage = new BlockStorage({ folder: target, magic, key: folder.key, fileBytes })
  let previousHash = hashAt(chain, chain.tipHeight).slice()
  let transactions = fullTransactions({ height: 1, random: new Random(seed, 'body', 0), scripts, bytes })
  let body = blockBody(transactions)
  for (let i = 0; i < blocks; i++) {
    const height = chain.tipHeight + 1 + i
    const random = new Random(seed, 'new day', height)
    if (i > 0 && i % repeats === 0) {
      transactions = fullTransactions({ height, random, scripts, bytes })
      body = blockBody(transactions)
    }
    const spent = transactions.map((one) =>
      one.spent.map(({ sats, script, height: own }) => {
        const creation = own === unknownHeight ? drawCreation(random, height, chain.tipHeight) : height
        return { sats, script, height: creation, coinbase: false }
      }),
    )
    const plan = { height, day: fullBlockDay, sats: body.feeSats, outputCount: 3, body, scripts, bytes, random }
    const { transaction } = buildCoinbase(plan)
    const time = blockTime(height)
    const block = buildBlock({ version: 4, previousHash, time, coinbase: transaction, body })
    storage.add({ bytes: block.bytes, previousHash, undo: encodeUndo(spent), connectionOrder: i, arrivalOrder: i })
    await storage.store(i)
    previousHash = Buffer.from(block.hash)
  }
  await storage.finish(new Uint8Array(300))
  const first = folder.fileNumbers.at(-1)! + 1
  rmSync(path.join(target, 'xor.dat'))
  for (const name of readdirSync(target).sort().reverse()) {
    const number = Number(name.slice(3, 8)) + first
    const filePath = name.startsWith('blk') ? blockFile : undoFile
    renameSync(path.join(target, name), filePath(target, number))
  }
}
