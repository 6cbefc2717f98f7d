const maxRows = 1_000_000
const maxBytes = 32 * 2 ** 20

/** No CSV of tables that would take long to write and that a browser cannot hold. */
export const isTooLargeForCsv = ({ rows, bytes }: { readonly rows: number; readonly bytes: number }): boolean =>
  rows > maxRows || bytes > maxBytes
