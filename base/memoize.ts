/** Keeps every result. */
export function memoize<K, V>(compute: (key: K) => V): (key: K) => V {
  const results = new Map<K, V>()
  return (key) => {
    let result = results.get(key)
    if (result === undefined) {
      result = compute(key)
      results.set(key, result)
    }
    return result
  }
}
