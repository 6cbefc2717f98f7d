export const createColumns = <Name extends string>(
  names: readonly Name[],
  length: number,
  fill = 0,
): Record<Name, Float64Array> =>
  Object.fromEntries(
    names.map((name) => [name, fill === 0 ? new Float64Array(length) : new Float64Array(length).fill(fill)]),
  ) as Record<Name, Float64Array>
