import { addressOf } from '../../app/router.ts'
import { writeValue } from '../../parts/numbers.ts'

/** A value in its unit, or a dash where it is not known. */
export const written = (unit: string, value: number | null | undefined): string =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : writeValue(unit, value)

/** A value with its sign, whichever it is. */
export const signed = (unit: string, value: number | null | undefined): string =>
  value !== null && value !== undefined && value > 0 ? `+${writeValue(unit, value)}` : written(unit, value)

/** The name of a row, which leads to its metric, with what else it is called. */
export function Name({
  metric,
  name,
  also,
}: {
  readonly metric: string
  readonly name: string
  readonly also?: string | null
}) {
  return (
    <>
      <a href={addressOf(`/metrics/${metric}`)}>{name}</a>
      {also ? <span class="also">{also}</span> : null}
    </>
  )
}
