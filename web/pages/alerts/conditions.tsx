import type { AlertCondition } from '#contract/alerts.ts'
import { Field } from '../../parts/form.tsx'
import { Select } from '../../parts/select.tsx'
import type { NewCondition } from './condition-formula.ts'

export type ConditionKind = AlertCondition['kind']
/** By field name. */
export type Typed = Readonly<Record<string, string>>

const kinds: readonly (readonly [ConditionKind, string])[] = [
  ['above', 'is above a level'],
  ['below', 'is below a level'],
  ['outside', 'leaves a range'],
  ['change', 'changes within some days'],
  ['all_time_high', 'is at a new all-time high'],
  ['percentile', 'exceeds a percentile of its history'],
]
const directions = [
  ['either', 'rise or fall'],
  ['rise', 'rise'],
  ['fall', 'fall'],
] as const
const readDirection = ({ direction }: Typed) => directions.find(([name]) => name === direction)?.[0] ?? 'either'

interface NumberField {
  readonly name: string
  readonly label: string
  readonly step?: 'any'
}
const level = [{ name: 'value', label: 'Level', step: 'any' }] as const
const numberFields: Readonly<Record<ConditionKind, readonly NumberField[]>> = {
  above: level,
  below: level,
  outside: [
    { name: 'low', label: 'Low end', step: 'any' },
    { name: 'high', label: 'High end', step: 'any' },
  ],
  change: [
    { name: 'percent', label: 'By more than, %', step: 'any' },
    { name: 'days', label: 'Within days' },
  ],
  all_time_high: [],
  percentile: [{ name: 'percentile', label: 'Percentile, 1 to 99', step: 'any' }],
}

/** Undefined until all numbers are there. */
export function toCondition(kind: ConditionKind, typed: Typed): NewCondition | undefined {
  if (numberFields[kind].some(({ name }) => !typed[name])) return undefined
  const number = (name: string): number => Number(typed[name])
  switch (kind) {
    case 'above':
    case 'below':
      return { kind, value: number('value') }
    case 'outside':
      return { kind, low: number('low'), high: number('high') }
    case 'change':
      return { kind, percent: number('percent'), days: number('days'), direction: readDirection(typed) }
    case 'all_time_high':
      return { kind }
    case 'percentile':
      return { kind, percentile: number('percentile') }
  }
}

export function conditionLevels(condition: NewCondition): number[] {
  if (condition.kind === 'outside') return [condition.low, condition.high]
  return 'value' in condition ? [condition.value] : []
}

interface ConditionFieldsProps {
  readonly kind: ConditionKind
  readonly typed: Typed
  readonly onKind: (kind: ConditionKind) => void
  readonly onTyped: (name: string, value: string) => void
  readonly problemOf: (field: string) => string | undefined
}

export const ConditionFields = ({ kind, typed, onKind, onTyped, problemOf }: ConditionFieldsProps) => (
  <div class="side">
    <Select label="Fires when it" isLabeled value={kind} choices={kinds} onChange={onKind} />
    {kind === 'change' && (
      <Select
        label="Direction"
        isLabeled
        value={readDirection(typed)}
        choices={directions}
        onChange={(direction) => onTyped('direction', direction)}
      />
    )}
    {numberFields[kind].map((field) => (
      <Field
        key={field.name}
        {...field}
        type="number"
        value={typed[field.name] ?? ''}
        problem={problemOf(field.name)}
      />
    ))}
  </div>
)
