interface Indexed {
  readonly id: string
  readonly name: string
  readonly endpoint: string
  readonly aliases: readonly string[]
}

interface Packed extends Indexed {
  /**
   * Replacements for `{cohort}`: up to the first space in id, endpoint and aliases, after it in the
   * name (`over_6m coins aged 6 months or more`).
   */
  readonly cohorts: readonly string[]
}

const placeholder = '{cohort}'

/** Joins metrics that differ only in their cohort, with the placeholder `{cohort}`. */
export function packIndex<Entry extends Indexed>(
  entries: readonly Entry[],
  readCohort: (entry: Entry) => string | null,
): (Entry & Packed)[] {
  const words = cohortPhrases(entries, readCohort)
  const families = new Map<string, { readonly entry: Entry; readonly cohorts: string[] }>()
  for (const metric of entries) {
    const cohort = readCohort(metric)
    const called = cohort === null ? undefined : words.get(cohort)
    const entry = cohort === null || called === undefined ? undefined : withPlaceholder(metric, cohort, called)
    const { id, name, endpoint, aliases } = metric
    if (!entry || [id, name, endpoint, ...aliases].some((text) => text.includes(placeholder))) {
      families.set(id, { entry: metric, cohorts: [] })
      continue
    }
    const key = JSON.stringify(entry)
    const family = families.get(key) ?? { entry, cohorts: [] }
    family.cohorts.push(`${cohort} ${called}`)
    families.set(key, family)
  }
  return [...families.values()].map(({ entry, cohorts }) => ({ ...entry, cohorts }))
}

export const unpackIndex = <Entry extends Packed>(entries: readonly Entry[]): Entry[] =>
  entries.flatMap((entry) =>
    entry.cohorts.length === 0
      ? [entry]
      : entry.cohorts.map((text) => {
          const end = text.indexOf(' ')
          return fillPlaceholder(entry, text.slice(0, end), text.slice(end + 1))
        }),
  )

const fillPlaceholder = <Entry extends Packed>(entry: Entry, cohort: string, words: string): Entry => ({
  ...entry,
  id: entry.id.replaceAll(placeholder, cohort),
  name: entry.name.replaceAll(placeholder, words),
  endpoint: entry.endpoint.replaceAll(placeholder, cohort),
  aliases: entry.aliases.map((alias) => alias.replaceAll(placeholder, cohort)),
  cohorts: [],
})

/** Undefined if the id does not end with the cohort, or the name with its phrase. */
function withPlaceholder<Entry extends Indexed>(metric: Entry, cohort: string, words: string): Entry | undefined {
  const { id, name, endpoint, aliases } = metric
  if (!id.endsWith(`_${cohort}`) || !name.endsWith(` ${words}`)) return undefined
  const atEnd = (text: string): string =>
    text.endsWith(`_${cohort}`) || text.endsWith(`/${cohort}`) ? text.slice(0, -cohort.length) + placeholder : text
  return {
    ...metric,
    id: atEnd(id),
    name: name.slice(0, -words.length) + placeholder,
    endpoint: atEnd(endpoint),
    aliases: aliases.map(atEnd),
  }
}

/** Phrase at the end of all metric names, by cohort: `coins aged 6 months or more`. */
function cohortPhrases<Entry extends Indexed>(
  entries: readonly Entry[],
  cohortOf: (entry: Entry) => string | null,
): Map<string, string> {
  const words = new Map<string, string>()
  for (const [cohort, metrics] of Map.groupBy(entries, cohortOf)) {
    const ending = metrics.map(({ name }) => name).reduce(commonEnding)
    const start = ending.indexOf(' of ')
    if (cohort !== null && start >= 0) words.set(cohort, ending.slice(start + ' of '.length))
  }
  return words
}

function commonEnding(a: string, b: string): string {
  let length = 0
  while (length < Math.min(a.length, b.length) && a.at(-1 - length) === b.at(-1 - length)) length++
  return a.slice(a.length - length)
}
