import type { ComponentChildren, TargetedSubmitEvent } from 'preact'
import { useId, useState } from 'preact/hooks'
import { explain } from '../data/failure.ts'

interface FormProps {
  readonly action: string
  /** Called with the values by field name. */
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => Promise<unknown>
  readonly children?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly isMain?: boolean
  readonly isReady?: boolean
  readonly clears?: boolean
}

/** Shows errors in place and keeps the typed text. */
export function Form({ action, onSubmit, children, aside, isMain = true, isReady = true, clears = false }: FormProps) {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
    setError(undefined)
    setBusy(true)
    try {
      await onSubmit(fields)
      if (clears) form.reset()
    } catch (failure) {
      setError(failure)
    }
    setBusy(false)
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {children}
      {error !== undefined && <Problem error={error} />}
      <div class="actions">
        <button type="submit" class={isMain ? 'pill main' : 'pill'} disabled={isBusy || !isReady}>
          {action}
        </button>
        {aside}
      </div>
    </form>
  )
}

export function Problem({ error }: { readonly error: unknown }) {
  const { message: what } = explain(error)
  return (
    <p class="problem" role="alert">
      {what}
    </p>
  )
}

interface FieldProps {
  readonly label: string
  readonly name: string
  readonly type?: 'text' | 'email' | 'password' | 'number'
  readonly autocomplete?: string
  readonly value?: string
  readonly hint?: string
  /** Reason of the service for refusing the value. */
  readonly problem?: string | undefined
  readonly optional?: boolean
  readonly readOnly?: boolean
  readonly inputMode?: 'numeric'
  readonly min?: number
  readonly max?: number
  /** Numbers are whole without it. */
  readonly step?: 'any'
  readonly minLength?: number
  readonly takesFocus?: boolean
}

export function Field({
  label,
  hint,
  problem,
  type = 'text',
  optional = false,
  takesFocus = false,
  value,
  ...input
}: FieldProps) {
  const id = useId()
  const all = {
    ...input,
    id,
    required: !optional,
    spellcheck: false,
    ...(value !== undefined && { defaultValue: value }),
    ...((problem || hint) && { 'aria-describedby': `${id}-hint` }),
    ...(problem && { 'aria-invalid': true }),
    ...(takesFocus && { ref: focusOnce }),
  }
  return (
    <div class="field">
      <label htmlFor={id}>
        {label}
        {optional && <span class="muted"> (optional)</span>}
      </label>
      {type === 'email' && <input {...all} type="email" />}
      {type === 'password' && <input {...all} type="password" />}
      {type === 'number' && <input {...all} type="number" />}
      {type === 'text' && <input {...all} type="text" />}
      {(problem || hint) && (
        <p id={`${id}-hint`} class={problem ? 'problem' : 'hint'} role={problem ? 'alert' : undefined}>
          {problem ?? hint}
        </p>
      )}
    </div>
  )
}

const focusOnce = (input: HTMLInputElement | null): void => input?.focus()
