import { LRUCache } from 'lru-cache'

/** Size of all cached answers as JSON. In memory they take about half as many bytes. */
const maxCharacters = 48_000_000
/** One per tier and generation. If there are more, the oldest are of past generations. */
const maxVariants = 5

interface Variants<Value> {
  readonly characters: number
  readonly byTag: ReadonlyMap<string, Value>
}

/** Answers of the API by entity tag. An answer is used only if the API confirms its tag for the same caller. */
export class AnswerCache<Value extends object> {
  readonly #variants = new LRUCache<string, Variants<Value>>({
    maxSize: maxCharacters,
    sizeCalculation: ({ characters }, address) => characters + address.length,
  })

  tags(address: string): readonly string[] {
    return [...(this.#variants.get(address)?.byTag.keys() ?? [])]
  }

  find(address: string, tag: string): Value | undefined {
    return this.#variants.get(address)?.byTag.get(tag)
  }

  /** `characters` is the length of the answer's JSON. */
  store(address: string, tag: string, answer: Value, characters: number): void {
    const known = [...(this.#variants.get(address)?.byTag ?? [])].filter(([other]) => other !== tag)
    const byTag = new Map([...known, [tag, answer] as const].slice(-maxVariants))
    this.#variants.set(address, { characters: characters * byTag.size, byTag })
  }
}
