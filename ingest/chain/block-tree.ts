import { CoinstrataError } from '#root/errors.ts'
import { headerBytes } from './block.ts'
import type { BlockIndex } from './block-index.ts'
import { doubleSha256, uint32At } from './bytes.ts'
import { blockWork, buildHeaderChain, type HeaderChain, previousHash, provesWork } from './header-chain.ts'
import type { Network } from './networks.ts'

/** Where one copy of a block stands. */
export interface BlockLocation {
  /** Index into `BlockIndex.files`. */
  readonly file: number
  /** Index into that file's records. */
  readonly record: number
}

/** A block that the files hold. */
export interface StoredBlock {
  readonly hash: Uint8Array
  readonly header: Uint8Array
  /** More than one where the node stored the block again, after a crash for instance. */
  readonly copies: readonly [BlockLocation, ...BlockLocation[]]
}

/** A block of the files, linked to its parent. */
interface TreeBlock extends StoredBlock {
  readonly copies: [BlockLocation, ...BlockLocation[]]
  readonly children: TreeBlock[]
  parent: TreeBlock | undefined
  height: number
  /** Of the chain from genesis to this block. */
  work: bigint
}

/** A chain of blocks that the files hold. */
export interface StoredChain {
  readonly chain: HeaderChain
  /** Where the copy of each height to read stands. */
  readonly locations: readonly BlockLocation[]
}

/** All blocks of a block folder as a tree that grows from genesis. */
export class BlockTree {
  /** Blocks whose ancestors the files do not hold. */
  readonly unconnected: number
  /** Records whose header proves no work: damaged ones, or what garbage looks like. */
  readonly unproven: number
  readonly #index: BlockIndex
  readonly #blocks = new Map<string, TreeBlock>()
  readonly #genesis: TreeBlock
  /** Copies that turned out to have no undo record, by location. */
  readonly #unproved = new Set<string>()

  /** Throws `wrong_network` where genesis is missing. */
  constructor(index: BlockIndex, network: Network) {
    this.#index = index
    let unproven = 0
    for (const [file, { headers, offsets }] of index.files.entries()) {
      for (let record = 0; record < offsets.length; record++) {
        const header = headers.subarray(record * headerBytes, (record + 1) * headerBytes)
        const hash = doubleSha256(header)
        const known = this.#blocks.get(keyOf(hash))
        if (known) known.copies.push({ file, record })
        else if (!provesWork(header, hash, network.easiestBits)) unproven++
        else {
          const block: TreeBlock = {
            hash,
            header,
            copies: [{ file, record }],
            children: [],
            parent: undefined,
            height: -1,
            work: 0n,
          }
          this.#blocks.set(keyOf(hash), block)
        }
      }
    }
    this.unproven = unproven
    for (const block of this.#blocks.values()) {
      block.parent = this.#blocks.get(keyOf(previousHash(block.header)))
      block.parent?.children.push(block)
    }
    this.#genesis = this.#findGenesis(network)
    this.unconnected = this.#blocks.size - this.#connect()
  }

  /** Blocks whose parent the files do not hold, in the order of the files. */
  get orphans(): StoredBlock[] {
    return [...this.#blocks.values()].filter((block) => !block.parent && block !== this.#genesis)
  }

  /** The orphan to which the parents of the block of this hash lead; `undefined` where the files do not hold the block. */
  orphanBelow(hash: Uint8Array): StoredBlock | undefined {
    let block = this.#blocks.get(keyOf(hash))
    while (block?.parent) block = block.parent
    return block === this.#genesis ? undefined : block
  }

  /** Remembers that the copy of a block has no undo record in its file, so that no chain is built on it. */
  markUnproved(location: BlockLocation): void {
    this.#unproved.add(locationKey(location))
  }

  /** The chain from genesis to the block of this hash; `undefined` where one of its blocks has no proved copy left. */
  chainTo(hash: Uint8Array): StoredChain | undefined {
    const chain: TreeBlock[] = []
    for (let block = this.#blocks.get(keyOf(hash)); block; block = block.parent) {
      if (!this.#provedCopy(block)) return undefined
      chain.push(block)
    }
    return chain.at(-1) === this.#genesis ? this.#stored(chain.reverse()) : undefined
  }

  /** The chain with the most work; where several tips have the same, the chain to their common ancestor. */
  bestChain(): StoredChain {
    let best: TreeBlock[] = []
    const open = [this.#genesis]
    for (let block = open.pop(); block; block = open.pop()) {
      if (!this.#provedCopy(block)) continue
      const bestWork = best[0]?.work ?? -1n
      if (block.work > bestWork) best = [block]
      else if (block.work === bestWork) best.push(block)
      open.push(...block.children)
    }
    const chain: TreeBlock[] = []
    for (let block: TreeBlock | undefined = commonAncestor(best); block; block = block.parent) chain.push(block)
    return this.#stored(chain.reverse())
  }

  #stored(blocks: readonly TreeBlock[]): StoredChain {
    const chain = buildHeaderChain(
      blocks.map(({ header }) => header),
      blocks.map(({ hash }) => hash),
    )
    return { chain, locations: blocks.map((block) => this.#provedCopy(block)!) }
  }

  #provedCopy(block: TreeBlock): BlockLocation | undefined {
    return block.copies.find((copy) => !this.#unproved.has(locationKey(copy)))
  }

  #findGenesis(network: Network): TreeBlock {
    const genesis = this.#blocks.get(keyOf(Buffer.from(network.genesisHash, 'hex').reverse()))
    if (genesis) return genesis
    throw new CoinstrataError(
      'wrong_network',
      `${this.#index.folder} does not hold the first block of ${network.name}`,
      {
        cure: 'name the network with --network, and check that the folder belongs to a node of that network',
      },
    )
  }

  /** Gives each block that hangs together with genesis its height and work; returns how many there are. */
  #connect(): number {
    const open = [this.#genesis]
    let connected = 0
    for (let block = open.pop(); block; block = open.pop()) {
      block.height = block.parent && block !== this.#genesis ? block.parent.height + 1 : 0
      block.work = (block.height > 0 ? block.parent!.work : 0n) + blockWork(uint32At(block.header, 72))
      connected++
      open.push(...block.children)
    }
    return connected
  }
}

const keyOf = (hash: Uint8Array): string => Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('latin1')

const locationKey = ({ file, record }: BlockLocation): string => `${file}:${record}`

function commonAncestor(blocks: readonly TreeBlock[]): TreeBlock {
  let level = new Set(blocks)
  while (level.size > 1) {
    const lowest = Math.min(...[...level].map(({ height }) => height))
    level = new Set([...level].map((block) => (block.height > lowest ? block.parent! : block)))
    if (level.size > 1 && [...level].every(({ height }) => height === lowest)) {
      level = new Set([...level].map(({ parent }) => parent!))
    }
  }
  return [...level][0]!
}
