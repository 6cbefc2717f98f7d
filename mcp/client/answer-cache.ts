import { LRUCache } from 'lru-cache'

/** Of all answers together, in characters of JSON; what is kept of them takes about half as many bytes. */
const maxCharacters = 48_000_000
/** One per tier and generation; more are of past generations. */
const maxVariants = 5

interface Variants<Kept> {
  readonly characters: number
  readonly byTag: ReadonlyMap<string, Kept>
}

/**
 * Answers of the API with their entity tags. Each use asks the API again, with the caller's key, and an answer is taken
 * from here only where the API names its tag; so nobody sees what the API would not have sent.
 */
export class AnswerCache<Kept extends object> {
  readonly #variants = new LRUCache<string, Variants<Kept>>({
    maxSize: maxCharacters,
    sizeCalculation: ({ characters }, address) => characters + address.length,
  })

  tags(address: string): readonly string[] {
    return [...(this.#variants.get(address)?.byTag.keys() ?? [])]
  }

  find(address: string, tag: string): Kept | undefined {
    return this.#variants.get(address)?.byTag.get(tag)
  }

  /** `characters` is the size of the answer as it was sent. */
  store(address: string, tag: string, answer: Kept, characters: number): void {
    const known = [...(this.#variants.get(address)?.byTag ?? [])].filter(([other]) => other !== tag)
    const byTag = new Map([...known, [tag, answer] as const].slice(-maxVariants))
    this.#variants.set(address, { characters: characters * byTag.size, byTag })
  }
}
