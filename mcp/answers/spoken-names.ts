import { normalizeName } from './parameters.ts'

/** Words that tell no two of a kind apart. */
const fillers = new Set(
  (
    'the of and a an inc incorporated corp corporation co company ltd limited plc sa ag nv se llc lp kk group holding ' +
    'holdings etf fund trust exchange futures global international pool mining chart template government'
  ).split(' '),
)

function wordsOf(name: string): readonly [all: readonly string[], telling: readonly string[]] {
  const all =
    name
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return [all, all.filter((word) => !fillers.has(word))]
}

/**
 * The candidate that has a name of the same words, else the only one whose words contain the
 * others or are contained in them; at last the same without words that are common to the kind.
 */
export function findSpoken<Candidate>(
  text: string,
  candidates: Iterable<Candidate>,
  namesOf: (candidate: Candidate) => readonly (string | null)[],
): Candidate | undefined {
  const wanted = wordsOf(text)
  const contains = (one: readonly string[], other: readonly string[]): boolean =>
    other.length > 0 && other.every((word) => one.includes(word))
  const named = Array.from(candidates, (one) => ({ one, names: namesOf(one).map((name) => wordsOf(name ?? '')) }))
  for (const words of [0, 1] as const) {
    const asked = wanted[words]
    const tests: ((name: readonly string[]) => boolean)[] = [
      (name) => name.join('') === asked.join(''),
      (name) => contains(name, asked) || contains(asked, name),
    ]
    for (const test of tests) {
      const found = named.filter(({ names }) => names.some((name) => test(name[words])))
      if (asked.length > 0 && found.length === 1) return found[0]!.one
    }
  }
  return undefined
}

/** From everyday words to ids of cohorts, one after the other. */
const cohortWords: readonly (readonly [RegExp, string])[] = [
  [/[–—]| to | and |(?<=\w)-(?=\d)/g, '_'],
  [/(?<=\d),(?=\d{3})/g, ''],
  [/long[- ]term( holders?)?/g, 'lth'],
  [/short[- ]term( holders?)?/g, 'sth'],
  [/native segwit/g, 'p2wpkh'],
  [/(wrapped|nested) segwit/g, 'p2sh'],
  [/taproot/g, 'p2tr'],
  [/legacy/g, 'p2pkh'],
  [/(older|more|greater|larger|bigger) than|at least|above|>=?/g, 'over_'],
  [/(younger|less|fewer|smaller) than|up to|below|<=?/g, 'under_'],
  [/ ?(?:(y)ea?rs?|(m)onths?|(w)eeks?|(d)ays?|(h)ou?rs?)(?=\b|_)/g, '$1$2$3$4$5'],
  [/bitcoins?/g, 'btc'],
  [/satoshis?/g, 'sats'],
  [/\b(aged?|old|from|between|in|with|created|coins?|outputs?|utxos?|holders?|addresses|the|of|halving|cohort)\b/g, ''],
  [/(\d)000000(?!\d)/g, '$1m'],
  [/(\d)000(?!\d)/g, '$1k'],
  [/(\d+)(?:st|nd|rd|th) epoch/g, 'epoch_$1'],
  [/(\d+[a-z]?)( or (more|older)|\+)/g, '$1_plus'],
  [/[^a-z0-9]+/g, '_'],
  [/^_|_$/g, ''],
  [/^(\d+)_(\d+)([dwmy])$/, '$1$3_$2$3'],
  [/^(\d+)_plus_?y$|^(\d+)y_plus$/, '$1$2y_plus'],
  [/^(\d+[km]?)_plus_(btc|sats)$/, 'over_$1_$2'],
  [/^((?:19|20)\d\d)$/, 'y$1'],
]

/** The cohort that `text` names; `known` are the ids of all. */
export function findCohort(text: string, known: ReadonlySet<string>): string | undefined {
  const id = normalizeName(text)
  if (known.has(id)) return id
  const spoken = cohortWords.reduce((words, [from, to]) => words.replace(from, to), text.toLowerCase())
  const open = [spoken.replace(/^(\d+y)_plus$/, 'over_$1'), spoken.replace(/^over_(\d+y)$/, '$1_plus')]
  return [spoken, ...open].find((one) => known.has(one))
}
