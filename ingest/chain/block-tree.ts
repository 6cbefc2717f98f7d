import { existsSync } from 'node:fs'
import { CoinstrataError } from '#base/errors.ts'
import type { BlockRecords } from './block-records.ts'
import { type BlockLocation, BlockTable } from './block-table.ts'
import { internalHash } from './bytes.ts'
import { chainOfColumns as chainFromColumns, type HeaderChain } from './header-chain.ts'
import type { Network } from './networks.ts'
import { keyFile } from './obfuscation.ts'
import { blockWork } from './proof-of-work.ts'

export interface StoredBlock {
  readonly hash: Uint8Array
  readonly previousHash: Uint8Array
  /** Several if the node stored the block again, for example after a crash. */
  readonly copies: readonly [BlockLocation, ...BlockLocation[]]
}

export interface StoredChain {
  readonly chain: HeaderChain
  readonly locations: BlockLocations
}

/** By height: the copy of each block to read. */
export interface BlockLocations {
  readonly fileNumbers: Uint32Array
  readonly offsets: Uint32Array
  readonly sizes: Uint32Array
}

export const locationAt = ({ fileNumbers, offsets, sizes }: BlockLocations, height: number): BlockLocation => ({
  fileNumber: fileNumbers[height]!,
  offset: offsets[height]!,
  size: sizes[height]!,
})

/** Stand-ins for a height: the block is not connected to genesis, or not visited yet. */
const unconnectedHeight = -1
const unknownHeight = -2

/** All blocks of a block folder as a tree rooted at genesis. */
export class BlockTree {
  readonly #folder: string
  readonly #network: Network
  readonly #table: BlockTable
  readonly #withoutUndo = new Set<string>()
  #unconnected: number | undefined

  constructor(folder: string, network: Network, table = new BlockTable(network.easiestBits)) {
    this.#folder = folder
    this.#network = network
    this.#table = table
  }

  /** Files may come in any order. */
  add(fileNumber: number, records: BlockRecords): void {
    this.#table.add(fileNumber, records)
    this.#unconnected = undefined
  }

  get unproven(): number {
    return this.#table.unproven
  }

  get unconnected(): number {
    this.#unconnected ??= this.#unconnectedRows().length
    return this.#unconnected
  }

  /** Stored blocks whose parent is not stored, in file order. */
  get orphans(): StoredBlock[] {
    const table = this.#table
    const genesis = this.genesisRow()
    const orphans: StoredBlock[] = []
    for (let row = 0; row < table.rows; row++) {
      if (table.isStored(row) && !table.isStored(table.parents[row]!) && row !== genesis) orphans.push(this.#block(row))
    }
    const place = ({ copies: [{ fileNumber, offset }] }: StoredBlock): number => fileNumber * 2 ** 32 + offset
    return orphans.sort((one, other) => place(one) - place(other))
  }

  /**
   * The orphan from which this block descends; `undefined` if the block is not stored, or connected
   * to genesis.
   */
  orphanAncestor(hash: Uint8Array): StoredBlock | undefined {
    const table = this.#table
    let row = table.findRow(hash)
    if (row === undefined || !table.isStored(row)) return undefined
    while (table.isStored(table.parents[row]!)) row = table.parents[row]!
    return row === this.genesisRow() ? undefined : this.#block(row)
  }

  /** Excludes a copy from all chains. */
  markWithoutUndo(location: BlockLocation): void {
    this.#withoutUndo.add(locationKey(location))
  }

  /** The chain from genesis to this block; `undefined` if a block has no usable copy. */
  chainTo(hash: Uint8Array): StoredChain | undefined {
    const table = this.#table
    const genesis = this.genesisRow()
    const rows: number[] = []
    for (let row = table.findRow(hash); row !== undefined; row = row === genesis ? undefined : table.parents[row]!) {
      if (!this.#hasUsableCopy(row)) return undefined
      rows.push(row)
    }
    return rows.length > 0 ? this.#createChain(rows.reverse()) : undefined
  }

  /** The chain with the most work; ends at the common ancestor of tips with equal work. */
  bestChain(): StoredChain {
    const { rows, parents, bits } = this.#table
    const genesis = this.genesisRow()
    const work: bigint[] = new Array(rows)
    let best: number[] = []
    const heights = this.#connect(
      (row) => this.#hasUsableCopy(row),
      (row) => {
        const own = blockWork(bits[row]!) + (row === genesis ? 0n : work[parents[row]!]!)
        const most = best.length > 0 ? work[best[0]!]! : 0n
        work[row] = own
        if (own > most) best = [row]
        else if (own === most) best.push(row)
      },
    )
    const tip = commonAncestor(best, parents, heights)
    const chain = new Uint32Array(tip === undefined ? 0 : heights[tip]! + 1)
    for (let row = tip, height = chain.length - 1; height >= 0; height--) {
      chain[height] = row!
      row = parents[row!]
    }
    return this.#createChain(chain)
  }

  get hasGenesis(): boolean {
    return this.#findGenesis() !== undefined
  }

  #findGenesis(): number | undefined {
    const row = this.#table.findRow(internalHash(this.#network.genesisHash))
    return row !== undefined && this.#table.isStored(row) ? row : undefined
  }

  genesisRow(): number {
    const row = this.#findGenesis()
    if (row !== undefined) return row
    throw missingGenesis(this.#folder, this.#network)
  }

  /**
   * Height of each block connected to genesis through blocks accepted by `counts`, by row.
   * `onConnected` receives parents first.
   */
  #connect(counts: (row: number) => boolean, onConnected: (row: number) => void = () => {}): Int32Array {
    const table = this.#table
    const genesis = this.genesisRow()
    const heights = new Int32Array(table.rows).fill(unknownHeight)
    const path: number[] = []
    for (let from = 0; from < table.rows; from++) {
      let row = from
      while (heights[row] === unknownHeight) {
        if (row === genesis || !counts(row)) {
          heights[row] = row === genesis && counts(row) ? 0 : unconnectedHeight
          if (heights[row] === 0) onConnected(row)
        } else {
          path.push(row)
          row = table.parents[row]!
        }
      }
      for (let child = path.pop(); child !== undefined; child = path.pop()) {
        const below = heights[table.parents[child]!]!
        heights[child] = below === unconnectedHeight ? unconnectedHeight : below + 1
        if (below !== unconnectedHeight) onConnected(child)
      }
    }
    return heights
  }

  filesWithUnconnected(): Set<number> {
    return new Set(this.#unconnectedRows().map((row) => this.#table.fileNumbers[row]!))
  }

  #unconnectedRows(): number[] {
    const table = this.#table
    const heights = this.#connect((row) => table.isStored(row))
    const rows: number[] = []
    for (let row = 0; row < table.rows; row++) {
      if (table.isStored(row) && heights[row] === unconnectedHeight) rows.push(row)
    }
    return rows
  }

  #createChain(rows: ArrayLike<number>): StoredChain {
    const table = this.#table
    const count = rows.length
    const columns = { hashes: new Uint8Array(32 * count), times: new Uint32Array(count), bits: new Uint32Array(count) }
    const words = new Uint32Array(columns.hashes.buffer)
    const tableWords = new Uint32Array(table.hashes.buffer)
    const locations = {
      fileNumbers: new Uint32Array(count),
      offsets: new Uint32Array(count),
      sizes: new Uint32Array(count),
    }
    for (let height = 0; height < count; height++) {
      const row = rows[height]!
      const other = this.#withoutUndo.size > 0 ? this.#usableCopy(row) : undefined
      for (let word = 0; word < 8; word++) words[8 * height + word] = tableWords[8 * row + word]!
      columns.times[height] = table.times[row]!
      columns.bits[height] = table.bits[row]!
      locations.fileNumbers[height] = other?.fileNumber ?? table.fileNumbers[row]!
      locations.offsets[height] = other?.offset ?? table.offsets[row]!
      locations.sizes[height] = other?.size ?? table.sizes[row]!
    }
    return { chain: chainFromColumns(columns), locations }
  }

  #block(row: number): StoredBlock {
    const table = this.#table
    return { hash: table.hash(row), previousHash: table.hash(table.parents[row]!), copies: table.copies(row) }
  }

  #hasUsableCopy(row: number): boolean {
    return this.#table.isStored(row) && (this.#withoutUndo.size === 0 || this.#usableCopy(row) !== undefined)
  }

  #usableCopy(row: number): BlockLocation | undefined {
    return this.#table.copies(row).find((copy) => !this.#withoutUndo.has(locationKey(copy)))
  }
}

export function missingGenesis(folder: string, { name }: Network): CoinstrataError {
  const customSignet = '; a custom signet can only be read over RPC (--source rpc)'
  const isKeyless = !existsSync(keyFile(folder))
  const keyless = isKeyless ? ', or the file xor.dat with the key of the block files is missing' : ''
  return new CoinstrataError('wrong_network', `${folder} does not hold the first block of ${name}${keyless}`, {
    cure:
      'name the network with --network, and check that the folder belongs to a node of that network' +
      (isKeyless ? '; if you copied the files, copy xor.dat too' : '') +
      (name === 'signet' ? customSignet : ''),
  })
}

const locationKey = ({ fileNumber, offset }: BlockLocation): string => `${fileNumber}:${offset}`

function commonAncestor(blocks: readonly number[], parents: Uint32Array, heights: Int32Array): number | undefined {
  let level = new Set(blocks)
  while (level.size > 1) {
    const lowest = Math.min(...[...level].map((row) => heights[row]!))
    level = new Set([...level].map((row) => (heights[row]! > lowest ? parents[row]! : row)))
    if (level.size > 1 && [...level].every((row) => heights[row] === lowest)) {
      level = new Set([...level].map((row) => parents[row]!))
    }
  }
  return [...level][0]
}
