interface PromiseMap<Key, Value> {
  get(key: Key): Promise<Value> | undefined
  set(key: Key, value: Promise<Value>): unknown
  delete(key: Key): unknown
}

/**
 * The promise of an earlier call with the same key unless that call failed, else a new one of
 * `work`.
 */
export function shareSuccess<Key, Value>(
  promises: PromiseMap<Key, Value>,
  key: Key,
  work: () => Promise<Value>,
): Promise<Value> {
  const found = promises.get(key)
  if (found !== undefined) return found
  const started = work()
  promises.set(key, started)
  started.catch(() => forget(promises, key, started))
  return started
}

/**
 * The promise of an earlier call with the same key while that call runs, else a new one of `work`.
 */
export function shareRunning<Key, Value>(
  promises: PromiseMap<Key, Value>,
  key: Key,
  work: () => Promise<Value>,
): Promise<Value> {
  const shared = shareSuccess(promises, key, work)
  const done = (): void => forget(promises, key, shared)
  shared.then(done, done)
  return shared
}

/** The key may have a newer promise since, if the map was cleared. */
function forget<Key, Value>(promises: PromiseMap<Key, Value>, key: Key, settled: Promise<Value>): void {
  if (promises.get(key) === settled) promises.delete(key)
}
