/** Shared caches answer for so long without asking, and for so long again while they ask. */
const freshSeconds = 4
const staleSeconds = 4

/** Age that an answer may have behind a shared cache and the load balancer of deploy/machines, which keeps it for a second. */
export const maxSharedAgeMs = 10_000

/** `Cache-Control` of answers that are the same for everybody until something new is published. Browsers ask each time. */
export const sharedCaching = `public, max-age=0, s-maxage=${freshSeconds}, stale-while-revalidate=${staleSeconds}`
