import type { SeriesMetadata } from '#render/output/metadata.ts'

/** Extremes of a series whose caller sees no day before `firstSeen`, and so no record: they say so themselves. */
export function withinHistory({ min, max, ...series }: SeriesMetadata, firstSeen: string | undefined) {
  const told = firstSeen === undefined ? {} : { only_since: firstSeen }
  return { ...series, min: min && { ...min, ...told }, max: max && { ...max, ...told } }
}
