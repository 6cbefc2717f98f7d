import { endianness } from 'node:os'
import type { ChartSpecification } from '../draw/specification.ts'

/**
 * Columns are `{"float64": "…"}` or `{"int32": "…"}`: base64 of little-endian values, exact and
 * half the size of digits.
 */
export const writeSpecification = (specification: ChartSpecification): string =>
  JSON.stringify(specification, (_, value: unknown) => {
    if (value instanceof Float64Array) return { float64: base64(value, 8) }
    return value instanceof Int32Array ? { int32: base64(value, 4) } : value
  })

function base64({ buffer, byteOffset, byteLength }: Float64Array | Int32Array, size: 4 | 8): string {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  if (endianness() === 'LE') return bytes.toString('base64')
  const swapped = Buffer.from(bytes)
  return (size === 8 ? swapped.swap64() : swapped.swap32()).toString('base64')
}
