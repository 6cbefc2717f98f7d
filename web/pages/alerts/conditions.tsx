import type { z } from 'zod'
import type { AlertCondition, alertCondition } from '#contract/alerts.ts'
import { Field } from '../../parts/form.tsx'

export type ConditionKind = AlertCondition['kind']
export type Direction = Extract<AlertCondition, { kind: 'change' }>['direction']

export const conditionKinds: readonly (readonly [ConditionKind, string])[] = [
  ['above', 'is above a level'],
  ['below', 'is below a level'],
  ['outside', 'leaves a range'],
  ['change', 'changes within some days'],
  ['all_time_high', 'is at a new all-time high'],
  ['percentile', 'exceeds a percentile of its history'],
]

export const directions: readonly (readonly [Direction, string])[] = [
  ['either', 'rise or fall'],
  ['rise', 'rise'],
  ['fall', 'fall'],
]

interface NumberField {
  readonly name: string
  readonly label: string
  readonly min?: number
  readonly max?: number
  readonly isWhole?: boolean
}

const level = [{ name: 'value', label: 'Level' }]
const numberFields: Readonly<Record<ConditionKind, readonly NumberField[]>> = {
  above: level,
  below: level,
  outside: [
    { name: 'low', label: 'Low end' },
    { name: 'high', label: 'High end' },
  ],
  change: [
    { name: 'percent', label: 'By more than, %', min: 0 },
    { name: 'days', label: 'Within days', min: 1, max: 365, isWhole: true },
  ],
  all_time_high: [],
  percentile: [{ name: 'percentile', label: 'Percentile, 1 to 99', min: 1, max: 99 }],
}

/** What was typed, by name of the field. */
export type Typed = Readonly<Record<string, string>>

/** Undefined until all numbers are there. */
export function toCondition(
  kind: ConditionKind,
  typed: Typed,
  direction: Direction,
): z.input<typeof alertCondition> | undefined {
  if (numberFields[kind].some(({ name }) => !typed[name])) return undefined
  const number = (name: string): number => Number(typed[name])
  switch (kind) {
    case 'above':
    case 'below':
      return { kind, value: number('value') }
    case 'outside':
      return { kind, low: number('low'), high: number('high') }
    case 'change':
      return { kind, percent: number('percent'), days: number('days'), direction }
    case 'all_time_high':
      return { kind }
    case 'percentile':
      return { kind, percentile: number('percentile') }
  }
}

interface NumberFieldsProps {
  readonly kind: ConditionKind
  readonly typed: Typed
  readonly problemOf: (field: string) => string | undefined
}

export const NumberFields = ({ kind, typed, problemOf }: NumberFieldsProps) => (
  <>
    {numberFields[kind].map(({ name, label, isWhole, ...limits }) => (
      <Field
        key={name}
        label={label}
        name={name}
        type="number"
        autocomplete="off"
        value={typed[name] ?? ''}
        problem={problemOf(name)}
        {...(!isWhole && { step: 'any' as const })}
        {...limits}
      />
    ))}
  </>
)

/** Levels to draw beside the values. */
export function conditionLevels(condition: z.input<typeof alertCondition>): number[] {
  if (condition.kind === 'outside') return [condition.low, condition.high]
  return 'value' in condition ? [condition.value] : []
}
