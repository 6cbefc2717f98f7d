/** Shared caches answer for so long without asking, and for so long again while they ask. */
const freshSeconds = 4
const staleSeconds = 4

/**
 * Age that an answer may have behind a shared cache and the load balancer of deploy/machines, which
 * keeps it for a second.
 */
export const maxSharedAgeMs = 10_000

/** `Cache-Control` of answers to scripts in browsers. */
export const sharedCachingOfScripts = `public, max-age=0, s-maxage=${freshSeconds}`

/**
 * `Cache-Control` of answers that are the same for everybody until something new is published.
 * Scripts in browsers get the one above: Chromium would use a preloaded answer and ask for it once
 * more.
 */
export const sharedCaching = `${sharedCachingOfScripts}, stale-while-revalidate=${staleSeconds}`
