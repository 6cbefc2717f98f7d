/**
 * Options of thread pools that live as long as a service. V8 shrinks heaps, and releases the pages
 * of threads that ended, in tasks, which no thread runs that waits for work in `Atomics.wait`. The
 * limit makes semi-spaces of 16 MB instead of 64 MB.
 */
export const threadMemory = { atomics: 'disabled', resourceLimits: { maxYoungGenerationSizeMb: 48 } } as const
