import { existsSync } from 'node:fs'
import { CoinstrataError } from '#base/errors.ts'
import type { BlockRecords } from './block-records.ts'
import { type BlockLocation, BlockTable } from './block-table.ts'
import { chainOfColumns as chainFromColumns, type HeaderChain } from './header-chain.ts'
import type { Network } from './networks.ts'
import { keyFile } from './obfuscation.ts'
import { WorkSums } from './proof-of-work.ts'

/** A block that the files hold. */
export interface StoredBlock {
  readonly hash: Uint8Array
  readonly previousHash: Uint8Array
  /** More than one where the node stored the block again, after a crash for instance. */
  readonly copies: readonly [BlockLocation, ...BlockLocation[]]
}

/** A chain of blocks that the files hold. */
export interface StoredChain {
  readonly chain: HeaderChain
  readonly locations: BlockLocations
}

/** Where the copy of each block to read stands, in columns by height; see `BlockLocation`. */
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

/** Stand for the height of a block: its ancestors do not lead to genesis, or that is still to be found out. */
const unconnectedHeight = -1
const unknownHeight = -2

/** All blocks of a block folder as a tree that grows from genesis. */
export class BlockTree {
  readonly #folder: string
  readonly #network: Network
  readonly #table: BlockTable
  /** Copies that turned out to have no undo record, by location. */
  readonly #unproved = new Set<string>()
  #unconnected: number | undefined

  /** A tree of the blocks in `folder`; empty, unless a table holds some of them already. */
  constructor(folder: string, network: Network, table = new BlockTable(network.easiestBits)) {
    this.#folder = folder
    this.#network = network
    this.#table = table
  }

  /** Adds the blocks of a file; files come in any order. */
  add(fileNumber: number, records: BlockRecords): void {
    this.#table.add(fileNumber, records)
    this.#unconnected = undefined
  }

  /** Records whose header proves no work: damaged ones, or what garbage looks like. */
  get unproven(): number {
    return this.#table.unproven
  }

  /** Blocks whose ancestors the files do not hold. */
  get unconnected(): number {
    this.#unconnected ??= this.#countUnconnected()
    return this.#unconnected
  }

  /** Blocks whose parent the files do not hold, in the order of the files. */
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

  /** The orphan to which the parents of the block of this hash lead; `undefined` where the files do not hold the block. */
  orphanAncestor(hash: Uint8Array): StoredBlock | undefined {
    const table = this.#table
    let row = table.findRow(hash)
    if (row === undefined || !table.isStored(row)) return undefined
    while (table.isStored(table.parents[row]!)) row = table.parents[row]!
    return row === this.genesisRow() ? undefined : this.#block(row)
  }

  /** Remembers that the copy of a block has no undo record in its file, so that no chain is built on it. */
  markWithoutUndo(location: BlockLocation): void {
    this.#unproved.add(locationKey(location))
  }

  /** The chain from genesis to the block of this hash; `undefined` where one of its blocks has no proved copy left. */
  chainTo(hash: Uint8Array): StoredChain | undefined {
    const table = this.#table
    const genesis = this.genesisRow()
    const rows: number[] = []
    for (let row = table.findRow(hash); row !== undefined; row = row === genesis ? undefined : table.parents[row]!) {
      if (!this.#hasProvedCopy(row)) return undefined
      rows.push(row)
    }
    return rows.length > 0 ? this.#stored(rows.reverse()) : undefined
  }

  /** The chain with the most work; where several tips have the same, the chain to their common ancestor. */
  bestChain(): StoredChain {
    const { rows, parents, bits } = this.#table
    const genesis = this.genesisRow()
    const work = new WorkSums(rows)
    let best: number[] = []
    const heights = this.#connect(
      (row) => this.#hasProvedCopy(row),
      (row) => {
        work.set(row, row === genesis ? undefined : parents[row], bits[row]!)
        const difference = best.length > 0 ? work.compare(row, best[0]!) : 1
        if (difference > 0) best = [row]
        else if (difference === 0) best.push(row)
      },
    )
    const tip = commonAncestor(best, parents, heights)
    const chain = new Uint32Array(tip === undefined ? 0 : heights[tip]! + 1)
    for (let row = tip, height = chain.length - 1; height >= 0; height--) {
      chain[height] = row!
      row = parents[row!]
    }
    return this.#stored(chain)
  }

  get hasGenesis(): boolean {
    const row = this.#table.findRow(Buffer.from(this.#network.genesisHash, 'hex').reverse())
    return row !== undefined && this.#table.isStored(row)
  }

  /** The first block of the network. Throws `wrong_network` where the files do not hold it. */
  genesisRow(): number {
    const row = this.#table.findRow(Buffer.from(this.#network.genesisHash, 'hex').reverse())
    if (row !== undefined && this.#table.isStored(row)) return row
    const { name } = this.#network
    const customSignet = '; a custom signet can only be read over RPC (--source rpc)'
    const isKeyless = !existsSync(keyFile(this.#folder))
    const keyless = isKeyless ? ', or the file xor.dat with the key of the block files is missing' : ''
    throw new CoinstrataError('wrong_network', `${this.#folder} does not hold the first block of ${name}${keyless}`, {
      cure:
        'name the network with --network, and check that the folder belongs to a node of that network' +
        (isKeyless ? '; if you copied the files, copy xor.dat too' : '') +
        (name === 'signet' ? customSignet : ''),
    })
  }

  /**
   * The height of every block that hangs together with genesis by blocks that `counts` lets pass, by row. `onConnected`
   * hears of each such block, parents first.
   */
  #connect(counts: (row: number) => boolean, onConnected: (row: number) => void): Int32Array {
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

  /** The numbers of the files that hold a block which waits for the blocks before it. */
  filesWithUnconnected(): Set<number> {
    const table = this.#table
    const heights = this.#connect(
      (row) => table.isStored(row),
      () => {},
    )
    const files = new Set<number>()
    for (let row = 0; row < table.rows; row++) {
      if (table.isStored(row) && heights[row] === unconnectedHeight) files.add(table.fileNumbers[row]!)
    }
    return files
  }

  #countUnconnected(): number {
    const table = this.#table
    let stored = 0
    for (let row = 0; row < table.rows; row++) if (table.isStored(row)) stored++
    let connected = 0
    this.#connect(
      (row) => table.isStored(row),
      () => connected++,
    )
    return stored - connected
  }

  #stored(rows: ArrayLike<number>): StoredChain {
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
      const further = this.#unproved.size > 0 ? this.#provedCopy(row) : undefined
      for (let word = 0; word < 8; word++) words[8 * height + word] = tableWords[8 * row + word]!
      columns.times[height] = table.times[row]!
      columns.bits[height] = table.bits[row]!
      locations.fileNumbers[height] = further?.fileNumber ?? table.fileNumbers[row]!
      locations.offsets[height] = further?.offset ?? table.offsets[row]!
      locations.sizes[height] = further?.size ?? table.sizes[row]!
    }
    return { chain: chainFromColumns(columns), locations }
  }

  #block(row: number): StoredBlock {
    const table = this.#table
    return { hash: table.hash(row), previousHash: table.hash(table.parents[row]!), copies: table.copies(row) }
  }

  #hasProvedCopy(row: number): boolean {
    return this.#table.isStored(row) && (this.#unproved.size === 0 || this.#provedCopy(row) !== undefined)
  }

  #provedCopy(row: number): BlockLocation | undefined {
    return this.#table.copies(row).find((copy) => !this.#unproved.has(locationKey(copy)))
  }
}

const locationKey = ({ fileNumber, offset }: BlockLocation): string => `${fileNumber}:${offset}`

/** The block at which the branches of these blocks meet. */
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
