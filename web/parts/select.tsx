import { useId } from 'preact/hooks'

interface SelectProps<Value extends string> {
  readonly label: string
  /** The label is visible. */
  readonly isLabeled?: boolean
  readonly value: Value
  readonly choices: readonly (readonly [value: Value, text: string])[]
  readonly onChange: (value: Value) => void
}

export function Select<Value extends string>({ label, isLabeled, value, choices, onChange }: SelectProps<Value>) {
  const id = useId()
  const field = (
    <select
      id={id}
      class="pill"
      aria-label={isLabeled ? undefined : label}
      value={value}
      onChange={({ currentTarget }) => {
        const chosen = choices.find(([name]) => name === currentTarget.value)
        if (chosen) onChange(chosen[0])
      }}
    >
      {choices.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  )
  if (!isLabeled) return field
  return (
    <label htmlFor={id}>
      <span>{label}</span>
      {field}
    </label>
  )
}
