import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { account, act, hasErrorCode, readAccount } from '../../data/accounts.ts'
import { Button } from '../../parts/button.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { signWithPasskey, supportsPasskeys } from './passkeys.ts'

/** The open password request. */
const pending = signal<{ readonly resolve: () => void; readonly reject: () => void } | undefined>(undefined)

/** Asks for the password and repeats `work` if it needs a recent one. */
export async function withConfirmation<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!hasErrorCode(error, 'confirmation_needed')) throw error
  }
  await new Promise<void>((resolve, reject) => {
    pending.value = {
      resolve: resolve,
      reject: () => reject(new Error('Nothing was changed, because you did not enter the password.')),
    }
  })
  return work()
}

export function Confirm() {
  const dialog = useRef<HTMLDialogElement>(null)
  const current = pending.value
  useEffect(() => {
    if (current && !dialog.current?.open) dialog.current?.showModal()
  }, [current])
  if (!current) return null
  const confirm = async (body: { password: string } | { credential: Awaited<ReturnType<typeof signWithPasskey>> }) => {
    await act('POST /v1/sessions/current/confirmation', { body })
    await readAccount()
    pending.value = undefined
    current.resolve()
  }
  const close = (): void => {
    pending.value = undefined
    current.reject()
  }
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onCancel={close}>
      <h2 id="confirm-title">Enter your password again</h2>
      <p class="muted">You entered it more than ten minutes ago, and this step asks for it again.</p>
      <Form
        action="Confirm"
        isMain
        onSubmit={({ password = '' }) => confirm({ password })}
        aside={<Button onClick={close}>Cancel</Button>}
      >
        <Field label="Password" name="password" type="password" autocomplete="current-password" takesFocus />
      </Form>
      {(account.value?.passkeys ?? 0) > 0 && supportsPasskeys() && (
        <Form action="Use a passkey" onSubmit={async () => confirm({ credential: await signWithPasskey() })} />
      )}
    </dialog>
  )
}
