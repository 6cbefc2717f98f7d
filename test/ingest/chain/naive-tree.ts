import { blockWork, decodeTarget } from '#ingest/chain/proof-of-work.ts'

interface Place {
  readonly fileNumber: number
  readonly record: number
}

interface NaiveBlock {
  /** In internal byte order, as hex. */
  readonly hash: string
  readonly parent: string
  readonly work: bigint
  readonly places: Place[]
}

/** A reference implementation with one object per block. */
export class NaiveTree {
  readonly withoutUndo = new Set<Place>()
  unproven = 0
  readonly #blocks = new Map<string, NaiveBlock>()
  readonly #genesis: string

  constructor(
    files: ReadonlyArray<readonly Uint8Array[]>,
    hashHeader: (header: Uint8Array) => Uint8Array,
    genesis: Uint8Array,
    easiestBits: number,
  ) {
    this.#genesis = hex(genesis)
    for (const [fileNumber, headers] of files.entries()) {
      for (const [record, bytes] of headers.entries()) {
        const header = Buffer.from(bytes)
        const hash = hex(hashHeader(bytes))
        const bits = header.readUInt32LE(72)
        const number = BigInt(`0x${Buffer.from(hash, 'hex').reverse().toString('hex')}`)
        const known = this.#blocks.get(hash)
        if (known) known.places.push({ fileNumber, record })
        else if (number > decodeTarget(bits) || decodeTarget(bits) > decodeTarget(easiestBits)) this.unproven++
        else {
          const parent = hex(header.subarray(4, 36))
          this.#blocks.set(hash, { hash, parent, work: blockWork(bits), places: [{ fileNumber, record }] })
        }
      }
    }
  }

  markWithoutUndo(fileNumber: number, record: number): void {
    for (const { places } of this.#blocks.values()) {
      for (const place of places) {
        if (place.fileNumber === fileNumber && place.record === record) this.withoutUndo.add(place)
      }
    }
  }

  /** The chain from genesis to the block of this hash, if each block has a usable copy. */
  chainTo(hash: string): NaiveBlock[] | undefined {
    const chain = this.#ancestry(hash)
    const whole = chain.at(-1)?.hash === this.#genesis
    const proved = chain.every(({ places }) => places.some((place) => !this.withoutUndo.has(place)))
    return whole && proved ? chain.reverse() : undefined
  }

  bestChain(): NaiveBlock[] {
    const chains = this.#bestChains()
    const [first = []] = chains
    const shared = first.findIndex((block, height) => chains.some((chain) => chain[height] !== block))
    return shared < 0 ? first : first.slice(0, shared)
  }

  /** Number of chains with the most work. */
  tips(): number {
    return this.#bestChains().length
  }

  orphans(): NaiveBlock[] {
    return [...this.#blocks.values()].filter(({ hash, parent }) => !this.#blocks.has(parent) && hash !== this.#genesis)
  }

  orphanAncestor(hash: string): NaiveBlock | undefined {
    const lowest = this.#ancestry(hash).at(-1)
    return lowest?.hash === this.#genesis ? undefined : lowest
  }

  unconnected(): number {
    return [...this.#blocks.keys()].filter((hash) => this.#ancestry(hash).at(-1)?.hash !== this.#genesis).length
  }

  #bestChains(): NaiveBlock[][] {
    const chains = [...this.#blocks.keys()].flatMap((hash) => [this.chainTo(hash) ?? []])
    const totalWork = (chain: readonly NaiveBlock[]): bigint => chain.reduce((sum, { work }) => sum + work, 0n)
    const most = chains.map(totalWork).reduce((one, other) => (one > other ? one : other), 0n)
    return chains.filter((chain) => totalWork(chain) === most)
  }

  /** The block and its known ancestors. */
  #ancestry(hash: string): NaiveBlock[] {
    const chain: NaiveBlock[] = []
    for (let block = this.#blocks.get(hash); block; block = this.#blocks.get(block.parent)) chain.push(block)
    return chain
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
