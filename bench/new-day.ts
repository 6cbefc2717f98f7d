import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { openBlockFolder } from '#ingest/chain/block-folder.ts'
import { readBlockTree } from '#ingest/chain/block-index.ts'
import { hashAt } from '#ingest/chain/header-chain.ts'
import { networks } from '#ingest/chain/networks.ts'
import { blockBody, buildBlock } from '#ingest/simulated/block.ts'
import { BlockStorage } from '#ingest/simulated/block-storage.ts'
import { buildCoinbase } from '#ingest/simulated/coinbase.ts'
import { fullBlockDay, fullTransactions, unknownHeight } from '#ingest/simulated/full-transactions.ts'
import { OutputScripts } from '#ingest/simulated/output-scripts.ts'
import { Random, RandomBytes } from '#ingest/simulated/random.ts'
import { encodeUndo } from '#ingest/simulated/undo-record.ts'
import { blockTime } from './header-files.ts'

const seed = 1
/** Blocks with the same transactions, but for what they spend. */
const repeats = 24
const fileBytes = 2 ** 27

/**
 * Makes the files of so many full blocks on top of those in `blocksFolder`, once, numbered on from them. What they spend
 * was created in any of the blocks before.
 */
export async function makeNewDay(
  target: string,
  blocksFolder: string,
  cacheFolder: string,
  blocks: number,
): Promise<void> {
  if (existsSync(target)) return
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const folder = openBlockFolder(blocksFolder)
  const { chain } = (await readBlockTree(folder, networks.regtest, cacheFolder)).bestChain()
  const bytes = new RandomBytes(seed)
  const scripts = new OutputScripts(seed, bytes)
  const storage = new BlockStorage({
    ...{ folder: unfinished, magic: networks.regtest.magic, key: new Uint8Array(8), fileBytes },
  })
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
        const creation = own === unknownHeight ? 1 + random.integer(chain.tipHeight) : height
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
  rmSync(path.join(unfinished, 'xor.dat'))
  for (const name of readdirSync(unfinished).sort().reverse()) {
    const number = Number(name.slice(3, 8)) + first
    renameSync(
      path.join(unfinished, name),
      path.join(unfinished, `${name.slice(0, 3)}${String(number).padStart(5, '0')}.dat`),
    )
  }
  renameSync(unfinished, target)
}
