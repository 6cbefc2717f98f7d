import type { ChartSpecification } from '../draw/specification.ts'

/**
 * Columns are `{"float64": "…"}` or `{"int32": "…"}`: base64 of little-endian values, exact and
 * half the size of digits.
 */
export const writeSpecification = (specification: ChartSpecification): string =>
  JSON.stringify(specification, (_, value: unknown) => {
    if (value instanceof Float64Array) return { float64: base64(value) }
    return value instanceof Int32Array ? { int32: base64(value) } : value
  })

/** Assumes little-endian, as on all DuckDB platforms. */
const base64 = ({ buffer, byteOffset, byteLength }: Float64Array | Int32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
