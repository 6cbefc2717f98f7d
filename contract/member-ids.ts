/** A fund, entity or exchange as it stands at the end of the ids of its metrics: `BRK.B` is `brk_b`. */
export const memberInId = (key: string | number): string =>
  String(key)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '_')
