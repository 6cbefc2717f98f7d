import type { ChartSpecification } from '../draw/specification.ts'

export interface ChartResponse {
  readonly specification: ChartSpecification
  readonly generation: string
  readonly simulated?: true
  /** First day of the caller's history, if it limits the chart. */
  readonly history_limited_to?: string
  readonly render_id: string
  readonly png_url: string
  readonly svg_url: string
}

/** Parses a `format=spec` response, with columns as typed arrays. */
export const readChartResponse = (text: string): ChartResponse =>
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if ('float64' in value && typeof value.float64 === 'string') return new Float64Array(decodeBase64(value.float64))
    return 'int32' in value && typeof value.int32 === 'string' ? new Int32Array(decodeBase64(value.int32)) : value
  })

/** Assumes little-endian, as all browsers do. */
function decodeBase64(base64: string): ArrayBuffer {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes.buffer
}
