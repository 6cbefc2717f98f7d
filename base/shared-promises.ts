interface PromiseMap<Key, Value> {
  get(key: Key): Promise<Value> | undefined
  set(key: Key, value: Promise<Value>): unknown
  delete(key: Key): unknown
}

/** Promise of an earlier call with this key unless that failed, else of `work`. */
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

/** Promise of a running call with this key, else of `work`. */
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

/** After a clear, the key may have a newer promise. */
function forget<Key, Value>(promises: PromiseMap<Key, Value>, key: Key, settled: Promise<Value>): void {
  if (promises.get(key) === settled) promises.delete(key)
}
