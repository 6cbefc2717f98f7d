import { readGroups } from './word-groups.ts'
import { isFiller } from './words.ts'

/** In stems. */
interface Example {
  readonly id: string
  readonly words: readonly string[]
}

/** A word, a group of words (begins with `~`), or two adjacent words. */
interface Term {
  /** Number of questions by id. */
  readonly counts: Map<number, number>
  readonly factor: number
}

/** Relative to the same word. */
const groupFactor = 0.7
const fillerFactor = 0.6
/** At this many questions a word counts half for an id. */
const halfCount = 0.7
/** Weight of the odds of the parts of an id. */
const oddsWeight = 0.4
/** Terms are not independent, so log-odds are divided. */
const oddsScale = 20
/** As if so many other questions had been asked. */
const smoothing = 100

const withGroups = (words: readonly string[]): ReadonlySet<string> =>
  new Set([...words, ...words.flatMap((one) => readGroups().get(one) ?? [])])

const readPairs = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.slice(1).map((word, i) => `${words[i]} ${word}`))

/**
 * Compares searches with example questions. An id scores if a question has the words of the search,
 * by words that its questions share with it (rare ones count more), and by its parts, such as words
 * of the id and the unit. Parts learn from the questions of all their ids (naive Bayes), so an id
 * needs few of its own.
 */
export class ExampleIndex {
  readonly #ids: readonly string[]
  /** By id; parts that several ids have. */
  readonly #parts: readonly (readonly number[])[]
  /** By part. */
  readonly #asked: Float64Array
  readonly #terms = new Map<string, Term>()
  /** Ids by the words of their questions. */
  readonly #same = new Map<string, Set<number>>()
  #questions = 0

  readonly #numbers: ReadonlyMap<string, number>

  /** `parts` by id. */
  constructor(parts: ReadonlyMap<string, readonly string[]>) {
    this.#ids = [...parts.keys()]
    const uses = new Map<string, number[]>()
    for (const [id, list] of [...parts.values()].entries())
      for (const part of new Set(list)) uses.set(part, [...(uses.get(part) ?? []), id])
    const shared = [...uses.values()].filter((ids) => ids.length > 1)
    const partsOf = this.#ids.map((): number[] => [])
    for (const [part, ids] of shared.entries()) for (const id of ids) partsOf[id]!.push(part)
    this.#parts = partsOf
    this.#asked = new Float64Array(shared.length)
    this.#numbers = new Map(this.#ids.map((id, number) => [id, number]))
  }

  /** Only of an id with parts. */
  add({ id, words }: Example): void {
    const number = this.#numbers.get(id)
    if (number === undefined) return
    this.#questions++
    for (const part of this.#parts[number]!) this.#asked[part]! += 1
    for (const one of [...withGroups(words), ...readPairs(words)]) this.#count(one, number)
    const same = this.#same.get(questionKey(words)) ?? new Set()
    this.#same.set(questionKey(words), same.add(number))
  }

  #count(one: string, id: number): void {
    const factor = one.startsWith('~') ? groupFactor : isFiller(one) ? fillerFactor : 1
    const term = this.#terms.get(one) ?? { counts: new Map(), factor }
    this.#terms.set(one, term)
    term.counts.set(id, (term.counts.get(id) ?? 0) + 1)
  }

  /** True if a question has the stem. */
  has(word: string): boolean {
    return this.#terms.has(word)
  }

  /** Scores ids by the stems of a search; about 1 if questions have all of them. */
  rate(words: readonly string[], unknownWords: number): ReadonlyMap<string, number> {
    const known = [...withGroups(words)].flatMap((one) => this.#terms.get(one) ?? [])
    // Higher for terms of fewer ids.
    const weights = known.map(({ counts, factor }) => Math.log(1 + this.#ids.length / counts.size) * factor)
    const total = weights.reduce((sum, weight) => sum + weight, unknownWords * Math.log(1 + this.#ids.length))
    const shares = new Float64Array(this.#ids.length)
    for (const [i, { counts }] of known.entries())
      for (const [id, count] of counts) shares[id]! += (weights[i]! * count) / (count + halfCount)
    const same = this.#same.get(questionKey(words))
    const isVague = [...withGroups(words)].every((one) => isFiller(one) || !this.#terms.has(one))
    const odds = this.#rateParts([...known, ...[...readPairs(words)].flatMap((one) => this.#terms.get(one) ?? [])])
    const found = [...shares.keys()].filter((id) => shares[id]! > 0 && (!isVague || same?.has(id)))
    const bestOdds = found.reduce((best, id) => Math.max(best, odds[id]!), Number.NEGATIVE_INFINITY)
    return new Map(
      found.map((id) => {
        const byParts = oddsWeight * Math.exp((odds[id]! - bestOdds) / oddsScale)
        return [this.#ids[id]!, shares[id]! / total + byParts + Number(same?.has(id) ?? false)]
      }),
    )
  }

  /** Log-odds of ids by their parts. */
  #rateParts(terms: readonly Term[]): Float64Array {
    const total = this.#questions
    const odds = this.#asked.map((asked) => 2 * Math.log((asked + 1) / (total - asked + 1)))
    const counts = new Float64Array(odds.length)
    for (const term of terms) {
      counts.fill(0)
      let all = 0
      for (const [id, count] of term.counts) {
        all += count
        for (const part of this.#parts[id]!) counts[part]! += count
      }
      const expected = (smoothing * all) / total
      for (let part = 0; part < odds.length; part++) {
        const asked = this.#asked[part]!
        const having = (counts[part]! + expected) / (asked + smoothing)
        const lacking = (all - counts[part]! + expected) / (total - asked + smoothing)
        odds[part]! += term.factor * Math.log(having / lacking)
      }
    }
    return Float64Array.from(this.#parts, (parts) => parts.reduce((sum, part) => sum + odds[part]!, 0))
  }
}

/** Equal for the same words in any order. */
const questionKey = (words: readonly string[]): string => [...new Set(words)].sort().join(' ')
