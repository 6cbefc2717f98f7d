/** Seconds that shared caches answer without asking, and again while asking. */
const freshSeconds = 4
const staleSeconds = 4

/**
 * Behind a shared cache and the load balancer of deploy/machines, which keeps answers for a second.
 */
export const maxSharedAgeMs = 10_000

/** For scripts in browsers. */
export const sharedCachingOfScripts = `public, max-age=0, s-maxage=${freshSeconds}`

/**
 * For answers that are the same for everybody until the next publication. Not for browsers'
 * scripts: Chromium would use a preloaded answer and ask again.
 */
export const sharedCaching = `${sharedCachingOfScripts}, stale-while-revalidate=${staleSeconds}`
