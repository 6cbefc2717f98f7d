import { type ComponentChildren, createElement, type LooseInputHTMLAttributes, type TargetedSubmitEvent } from 'preact'
import { useId, useState } from 'preact/hooks'
import { useAttempt } from './use-attempt.ts'

interface FormProps {
  readonly action: string
  /** Values are by field name. */
  readonly onSubmit: (fields: Readonly<Record<string, string>>) => Promise<unknown>
  readonly children?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly isMain?: boolean
  readonly isReady?: boolean
  readonly clears?: boolean
}

/** Shows errors in place and keeps the typed text. */
export function Form({ action, onSubmit, children, aside, isMain = false, isReady = true, clears = false }: FormProps) {
  const { problem, attempt } = useAttempt()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]))
    setBusy(true)
    await attempt(async () => {
      await onSubmit(fields)
      if (clears) form.reset()
    })
    setBusy(false)
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {children}
      <Problem text={problem} />
      <div class="actions">
        <button type="submit" class={isMain ? 'pill main' : 'pill'} disabled={isBusy || !isReady}>
          {action}
        </button>
        {aside}
      </div>
    </form>
  )
}

export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  )

type InputAttribute = 'autocomplete' | 'readOnly' | 'inputMode' | 'min' | 'max' | 'step' | 'minLength'

/** Numbers are whole without `step`. */
interface FieldProps extends Pick<LooseInputHTMLAttributes, InputAttribute> {
  readonly label: string
  readonly name: string
  readonly type?: 'text' | 'email' | 'password' | 'number'
  readonly value?: string
  readonly hint?: string
  /** Why the service refused the value. */
  readonly problem?: string | undefined
  readonly optional?: boolean
  readonly takesFocus?: boolean
}

export function Field({ label, hint, problem, type = 'text', optional, takesFocus, value, ...input }: FieldProps) {
  const id = useId()
  const attributes = {
    ...input,
    id,
    type,
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
      {createElement('input', attributes)}
      {(problem || hint) && (
        <p id={`${id}-hint`} class={problem ? 'problem' : 'hint'} role={problem ? 'alert' : undefined}>
          {problem ?? hint}
        </p>
      )}
    </div>
  )
}

const focusOnce = (input: HTMLInputElement | null): void => input?.focus()
