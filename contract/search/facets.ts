import { stem } from './words.ts'

/** Parts of a question besides its subject: a share, dollars, a change, a length of time. */
interface Facet {
  readonly asked: RegExp
  readonly has: (metric: { readonly id: string; readonly unit: string }) => boolean
  /** Factor of metrics that have it, if the question asks for it. */
  readonly boost: number
  /** Factor of metrics that lack it, if the question asks for it. */
  readonly lack: number
  /** Factor of metrics that have it, if the question does not ask for it. */
  readonly excess: number
}

const facets: readonly Facet[] = [
  {
    asked: /\b(?:percent|share|fraction|portion|proportion)\b/,
    has: ({ id, unit }) => unit === 'percent' || /^s[ov]ab|relative|share/.test(id),
    ...{ boost: 1.2, lack: 0.95, excess: 0.95 },
  },
  {
    asked: /\b(?:usd|billion|million|money|buck)\b/,
    has: ({ unit }) => unit === 'USD',
    ...{ boost: 1.1, lack: 0.95, excess: 1 },
  },
  {
    asked: /\b(?:median|typical|middle|half)\b/,
    has: ({ id }) => /median|p50|msol/.test(id),
    ...{ boost: 1.2, lack: 0.95, excess: 0.8 },
  },
  {
    asked: /\b(?:cumulative?|total|all|history|launch|since)\b/,
    has: ({ id }) => /cumulative|since|total|thermo/.test(id),
    ...{ boost: 1.1, lack: 1, excess: 0.9 },
  },
  {
    asked: /\b(?:change|net|grow|growth|shift|add)\b/,
    has: ({ id }) => /change|delta|net_/.test(id),
    ...{ boost: 1.1, lack: 1, excess: 0.9 },
  },
]
/** For lengths of time: a metric of another length lacks the one that is asked for. */
const lengthFactors = { boost: 1.1, lack: 0.9, excess: 0.85 }

const lengths: ReadonlyMap<string, string> = new Map(
  Object.entries({
    week: '7d',
    month: '30d',
    '3m': '90d',
    '6m': '180d',
    year: '365d',
    '3y': '1095d',
    '4y': '1460d',
  }),
)
const lengthsIn = (words: readonly string[]): ReadonlySet<string> =>
  new Set(words.map((word) => lengths.get(word) ?? word).filter((word) => /^\d+d$/.test(word)))

export interface Facets {
  /** One for each of `facets`. */
  readonly flags: readonly boolean[]
  readonly lengths: ReadonlySet<string>
}

export const facetsOfMetric = (metric: { readonly id: string; readonly unit: string }): Facets => ({
  flags: facets.map(({ has }) => has(metric)),
  lengths: lengthsIn(metric.id.split('_').map(stem)),
})

/** Facets that the stems of a question ask for. */
export function facetsOfQuestion(stems: readonly string[]): Facets {
  const text = stems.join(' ')
  return { flags: facets.map(({ asked }) => asked.test(text)), lengths: lengthsIn(stems) }
}

/**
 * Factor for the score of a metric: above 1 if it has what the question asks for, below 1 if it
 * lacks that or has something else.
 */
export function compareFacets(question: Facets, metric: Facets): number {
  let factor = 1
  for (const [i, { boost, lack, excess }] of facets.entries())
    factor *= question.flags[i] ? (metric.flags[i] ? boost : lack) : metric.flags[i] ? excess : 1
  const { boost, lack, excess } = lengthFactors
  if (question.lengths.size === 0) return metric.lengths.size > 0 ? factor * excess : factor
  return factor * ([...question.lengths].some((one) => metric.lengths.has(one)) ? boost : lack)
}
