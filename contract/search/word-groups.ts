import { wordGroups } from './tables.ts'
import { splitWords } from './words.ts'

let groups: ReadonlyMap<string, readonly string[]> | undefined

/** Group names by stem; they begin with `~`. */
export function readGroups(): ReadonlyMap<string, readonly string[]> {
  if (groups) return groups
  const map = new Map<string, string[]>()
  for (const [number, words] of wordGroups.entries())
    for (const one of new Set(splitWords(words))) map.set(one, [...(map.get(one) ?? []), `~${number}`])
  groups = map
  return map
}
