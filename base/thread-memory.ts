/**
 * Options of thread pools that live as long as a service. V8 shrinks heaps and frees pages of ended
 * threads in tasks, which threads that wait in `Atomics.wait` do not run. The limit makes
 * semi-spaces of 16 MB instead of 64 MB.
 */
export const threadMemory = { atomics: 'disabled', resourceLimits: { maxYoungGenerationSizeMb: 48 } } as const
