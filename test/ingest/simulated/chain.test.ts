import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { script, type Transaction } from 'bitcoinjs-lib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseDay } from '#base/days.ts'
import { networks, subsidySats } from '#ingest/chain/networks.ts'
import { makeSimulatedChain, type SimulatedChain } from '#ingest/simulated/chain.ts'
import { type ChainBlock, type CoreFiles, display, findChain, hash256, readCoreFiles } from './core-files.ts'
import { readUndo, type UndoEntry } from './core-undo.ts'

const root = mkdtempSync(join(tmpdir(), 'coinstrata-simulated-'))
const endDay = parseDay('2010-02-08')
let made: SimulatedChain
let files: CoreFiles
let chain: ChainBlock[]
let stale: Set<string>
let replayed: ReturnType<typeof replay>
let undo: ReturnType<typeof undoByParent>

beforeAll(async () => {
  made = await makeSimulatedChain({ folder: join(root, 'chain'), seed: 1, endDay, size: 'tiny' })
  files = readCoreFiles(join(root, 'chain', 'blocks'))
  ;({ chain, stale } = findChain(files, made.tipHash))
  replayed = replay()
  undo = undoByParent()
})

afterAll(() => rmSync(root, { recursive: true }))

function transactionsOf({ block }: ChainBlock): Transaction[] {
  if (block.transactions === undefined) throw new Error('a block without transactions')
  return block.transactions
}

interface Output {
  height: number
  coinbase: boolean
  sats: bigint
  script: string
}

/** Spent outputs of each block, found with a map of all outputs. */
function replay() {
  const unspent = new Map<string, Output>()
  const spent: UndoEntry[][][] = []
  for (const current of chain) {
    spent.push([])
    for (const [position, transaction] of transactionsOf(current).entries()) {
      if (position > 0) {
        spent[current.height]?.push(
          transaction.ins.map(({ hash, index }) => {
            const outpoint = `${display(hash)}:${index}`
            const output = unspent.get(outpoint)
            if (output === undefined) throw new Error(`height ${current.height} spends unknown ${outpoint}`)
            unspent.delete(outpoint)
            return output
          }),
        )
      }
      const txid = transaction.getId()
      for (const [index, { value, script }] of transaction.outs.entries()) {
        if (current.height === 0 || script[0] === 0x6a || script.length > 10_000) continue
        unspent.set(`${txid}:${index}`, {
          height: current.height,
          coinbase: position === 0,
          sats: value,
          script: Buffer.from(script).toString('hex'),
        })
      }
    }
  }
  return { spent }
}

/** Undo records by parent, as proved by their checksums. */
function undoByParent(): Map<string, UndoEntry[][][]> {
  const found = new Map<string, UndoEntry[][][]>()
  // Blocks and their undo are in files of the same number, so only parents of that file's blocks
  // need to be tried.
  for (const { file, bytes } of files.undo) {
    const undo = bytes.subarray(0, -32)
    const near = files.blocks
      .filter((block) => block.file === file)
      .map((block) => display(block.bytes.subarray(4, 36)))
    const parent = near.find((hash) =>
      hash256(Buffer.concat([Buffer.from(hash, 'hex').reverse(), undo])).equals(bytes.subarray(-32)),
    )
    if (parent === undefined) throw new Error(`an undo record in file ${file} fits no parent of the blocks in it`)
    found.set(parent, [...(found.get(parent) ?? []), readUndo(undo)])
  }
  return found
}

describe('the simulated chain', () => {
  it('runs from the genesis block of its network to its tip', () => {
    expect(chain[0]?.hash).toBe(networks.simulated.genesisHash)
    expect(chain.length - 1).toBe(made.tipHeight)
    expect(chain.at(-1)?.hash).toBe(made.tipHash)
  })

  it('consists of sound blocks: merkle roots, witness commitments, proof of work, heights in the coinbases', () => {
    for (const { block, height } of chain) {
      expect(block.checkTxRoots()).toBe(true)
      expect(block.checkProofOfWork()).toBe(true)
      if (height === 0) continue
      const [pushed] = script.decompile(block.transactions?.[0]?.ins[0]?.script ?? new Uint8Array()) ?? []
      expect(typeof pushed === 'number' ? pushed - 0x50 : script.number.decode(pushed ?? new Uint8Array())).toBe(height)
    }
  })

  it('never spends more than there is: transactions, and coinbases beyond subsidy and fees', () => {
    const { spent } = replayed
    let unclaimed = 0
    for (const current of chain.slice(1)) {
      const [coinbase, ...others] = transactionsOf(current)
      let allowed = BigInt(subsidySats(networks.simulated, current.height))
      for (const [i, transaction] of others.entries()) {
        const fee =
          sum(spent[current.height]?.[i]?.map(({ sats }) => sats)) - sum(transaction.outs.map(({ value }) => value))
        expect(fee).toBeGreaterThanOrEqual(0n)
        allowed += fee
      }
      const claimed = sum(coinbase?.outs.map(({ value }) => value))
      expect(claimed).toBeLessThanOrEqual(allowed)
      if (claimed < allowed) unclaimed++
    }
    expect(unclaimed).toBeGreaterThan(0)
  })

  it('has an undo record for every block, equal to a replay of all outputs', () => {
    const { spent } = replayed
    for (const { height, block } of chain.slice(1)) {
      const candidates = undo.get(chain[height - 1]?.hash ?? '') ?? []
      const fitting = candidates.filter((entries) => entries.length === (block.transactions?.length ?? 0) - 1)
      expect(fitting.length, `height ${height}`).toBeGreaterThan(0)
      for (const entries of fitting) expect(entries).toEqual(spent[height])
    }
  })

  it('has every kind of output, and spends every kind that can be', () => {
    const kinds: Record<string, RegExp> = {
      'key, uncompressed': /^4104.{128}ac$/,
      key: /^210[23].{64}ac$/,
      'key hash': /^76a914.{40}88ac$/,
      'script hash': /^a914.{40}87$/,
      multisig: /^51(21|41).*5[23]ae$/,
      'witness key hash': /^0014.{40}$/,
      'witness script hash': /^0020.{64}$/,
      taproot: /^5120.{64}$/,
      'later witness version': /^5220.{64}$/,
      'no script': /^$/,
      'no known form': /^aa20.{64}87$/,
      'largest spendable': /^4e.{19998}$/,
    }
    const created = chain.flatMap(transactionsOf).flatMap(({ outs }) => outs)
    const scripts = created.map(({ script }) => Buffer.from(script).toString('hex'))
    const spent = replayed.spent.flat(2)
    for (const [kind, form] of Object.entries(kinds)) {
      expect(
        scripts.some((hex) => form.test(hex)),
        kind,
      ).toBe(true)
      if (kind !== 'largest spendable')
        expect(
          spent.some(({ script }) => form.test(script)),
          `${kind}, spent`,
        ).toBe(true)
    }
    expect(created.some(({ script, value }) => script[0] === 0x6a && value === 0n)).toBe(true)
    expect(created.some(({ script, value }) => script[0] === 0x6a && value > 0n)).toBe(true)
    expect(created.some(({ script }) => script.length > 10_000 && script[0] !== 0x6a)).toBe(true)
    expect(spent.some(({ sats }) => sats === 0n)).toBe(true)
  })

  it('has spends within a block, many inputs, witnesses, and times that go back', () => {
    const { spent } = replayed
    expect(spent.some((entries, height) => entries.flat().some((entry) => entry.height === height))).toBe(true)
    expect(spent.flat().some((inputs) => inputs.length > 10)).toBe(true)
    expect(chain.some(({ block }) => block.hasWitness())).toBe(true)
    expect(chain.some(({ block }) => !block.hasWitnessCommit())).toBe(true)
    expect(chain.some(({ block }, i) => block.timestamp < (chain[i - 1]?.block.timestamp ?? 0))).toBe(true)
  })
})

describe('the files of the simulated chain', () => {
  it('are as disorderly as those of a real node', () => {
    const hashes = files.blocks.map(({ bytes }) => display(hash256(bytes.subarray(0, 80))))
    const heights = new Map(chain.map(({ hash, height }) => [hash, height]))
    const order = hashes.map((hash) => heights.get(hash)).filter((height) => height !== undefined)
    expect(order.some((height, i) => height < (order[i - 1] ?? 0))).toBe(true)
    expect(stale.size).toBeGreaterThan(5)
    expect(hashes.length - new Set(hashes).size).toBeGreaterThan(2)
    const lastFile = String(Math.max(...files.blocks.map(({ file }) => file))).padStart(5, '0')
    expect(files.cut).toEqual([`blk${lastFile}.dat`])
    expect(files.allocated).toContain('blk00001.dat')
    expect(files.allocated).toContain(`rev${lastFile}.dat`)
  })

  it('have stale blocks with and without undo, and siblings at the same height that can be told apart', () => {
    const staleRecords = new Map(
      files.blocks
        .map(({ bytes }) => ({ bytes, hash: display(hash256(bytes.subarray(0, 80))) }))
        .filter(({ hash }) => stale.has(hash))
        .map(({ bytes, hash }) => [hash, bytes]),
    )
    const counts = { connected: 0, unconnected: 0, onStale: 0 }
    for (const bytes of staleRecords.values()) {
      const parent = display(bytes.subarray(4, 36))
      if (stale.has(parent)) counts.onStale++
      else if ((undo.get(parent)?.length ?? 0) > 1) counts.connected++
      else counts.unconnected++
    }
    expect(counts.connected).toBeGreaterThan(0)
    expect(counts.unconnected).toBeGreaterThan(0)
    expect(counts.onStale).toBeGreaterThan(0)
    for (const records of undo.values()) {
      const different = new Set(
        records.map((entries) => JSON.stringify(entries, (_, v) => (typeof v === 'bigint' ? `${v}` : v))),
      )
      const shapes = new Set(records.map((entries) => JSON.stringify(entries.map((inputs) => inputs.length))))
      expect(shapes.size).toBe(different.size)
    }
  })

  it('are the same bytes for the same seed, and others for another', async () => {
    const again = await makeSimulatedChain({ folder: join(root, 'again'), seed: 1, endDay, size: 'tiny' })
    expect(again).toEqual(made)
    const names = readdirSync(join(root, 'chain', 'blocks'))
    expect(readdirSync(join(root, 'again', 'blocks'))).toEqual(names)
    for (const name of names) {
      const [first, second] = ['chain', 'again'].map((folder) => readFileSync(join(root, folder, 'blocks', name)))
      expect(first?.equals(second ?? Buffer.alloc(0)), name).toBe(true)
    }
    const other = await makeSimulatedChain({ folder: join(root, 'other'), seed: 2, endDay: endDay - 300, size: 'tiny' })
    const { chain: otherChain } = findChain(readCoreFiles(join(root, 'other', 'blocks')), other.tipHash)
    expect(otherChain[0]?.hash).toBe(chain[0]?.hash)
    expect(otherChain[1]?.hash).not.toBe(chain[1]?.hash)
  })

  it('hold the same blocks and more for a later end, whatever that end is', async () => {
    for (const days of [1, 200]) {
      const shorter = await makeSimulatedChain({
        folder: join(root, 'shorter'),
        seed: 1,
        endDay: endDay - days,
        size: 'tiny',
      })
      expect(shorter.tipHeight).toBeLessThan(made.tipHeight)
      expect(shorter.tipHash).toBe(chain[shorter.tipHeight]?.hash)
    }
  })
})

describe('a run that ends early', () => {
  it('leaves the finished chain as it was, and the next run replaces what it left', async () => {
    const folder = join(root, 'interrupted')
    await makeSimulatedChain({ folder, seed: 1, endDay: endDay - 380, size: 'tiny' })
    const before = readFileSync(join(folder, 'blocks', 'blk00000.dat'))
    const onProgress = ({ height }: { height: number }) => {
      if (height === 900) throw new Error('pulled the plug')
    }
    await expect(makeSimulatedChain({ folder, seed: 1, endDay, size: 'tiny', onProgress })).rejects.toThrow('plug')
    expect(readFileSync(join(folder, 'blocks', 'blk00000.dat')).equals(before)).toBe(true)
    expect(await makeSimulatedChain({ folder, seed: 1, endDay, size: 'tiny' })).toEqual(made)
    expect(readdirSync(folder)).toEqual(['blocks'])
  })
})

describe('the demo chain', () => {
  const day = parseDay('2012-11-29')
  let blocks: ChainBlock[]

  beforeAll(async () => {
    const demo = await makeSimulatedChain({ folder: join(root, 'demo'), seed: 1, endDay: day, size: 'demo' })
    blocks = findChain(readCoreFiles(join(root, 'demo', 'blocks')), demo.tipHash).chain
  })

  it('halves its subsidy on 2012-11-28', () => {
    const halving = blocks.find(({ block }) => block.timestamp >= (day - 1) * 86_400)
    expect(halving?.height).toBe(4200)
    const rewards = [4199, 4200].map((height) =>
      sum(blocks[height]?.block.transactions?.[0]?.outs.map(({ value }) => value)),
    )
    expect(Number(rewards[0]) / 1e8).toBeCloseTo(2500, -2)
    expect(Number(rewards[1]) / 1e8).toBeCloseTo(1250, -2)
  })

  it('retargets every 14 days to a difficulty that rises and falls, and proves its work', () => {
    const epochDay = (seconds: number) => Math.floor((seconds / 86_400 - parseDay('2009-01-03')) / 14)
    const targets = new Map<number, number>()
    for (const { block } of blocks) {
      expect(block.checkProofOfWork()).toBe(true)
      const epoch = epochDay(block.timestamp)
      expect(block.bits).toBe(targets.get(epoch) ?? block.bits)
      targets.set(epoch, block.bits)
    }
    const targetOf = (date: string) => targets.get(epochDay(parseDay(date) * 86_400)) ?? Number.NaN
    expect(targetOf('2009-01-03')).toBe(0x207f_ffff)
    expect(targetOf('2011-07-01')).toBeLessThan(targetOf('2010-06-01'))
    expect(targetOf('2011-12-15')).toBeGreaterThan(targetOf('2011-07-01'))
  })
})

function sum(values: readonly bigint[] = []): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
