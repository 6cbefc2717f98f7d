import { toSvgPath } from 'lean-qr/extras/svg'
import { generate } from 'lean-qr/nano'
import { useState } from 'preact/hooks'
import { type Account, type ActionRow, act, readAccount } from '../../data/accounts.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { withConfirmation } from './confirm.tsx'

export function Codes({ account }: { readonly account: Account }) {
  const [started, setStarted] = useState<ActionRow<'POST /v1/account/codes'>>()
  const [recovery, setRecovery] = useState<readonly string[]>()
  const start = async () => setStarted((await withConfirmation(() => act('POST /v1/account/codes')))[0])
  const prove = async ({ code = '' }: Readonly<Record<string, string>>) => {
    const [proved] = await withConfirmation(() => act('POST /v1/account/codes/confirmation', { body: { code } }))
    setStarted(undefined)
    setRecovery(proved?.recovery_codes)
    await readAccount()
  }
  const renew = async () => {
    const [renewed] = await withConfirmation(() => act('POST /v1/account/recovery-codes'))
    setRecovery(renewed?.recovery_codes)
    await readAccount()
  }
  const end = async () => {
    await withConfirmation(() => act('DELETE /v1/account/codes'))
    setRecovery(undefined)
    await readAccount()
  }
  return (
    <details>
      <summary>Second factor: {account.second_factor ? 'codes of an app' : 'none'}</summary>
      {recovery && <RecoveryCodes codes={recovery} />}
      {account.second_factor ? (
        <>
          <p class="muted">
            Signing in with the password needs a code of your authenticator app. {account.recovery_codes_left} recovery
            codes are left.
          </p>
          <div class="side">
            <Form action="Make new recovery codes" onSubmit={renew} />
            <Form action="Turn codes off" onSubmit={end} />
          </div>
        </>
      ) : (
        <>
          <p class="muted">With codes from an authenticator app, your password alone is not enough to sign in.</p>
          {started ? (
            <div class="enrol">
              <QrCode text={started.otpauth_url} />
              <div>
                <p>Scan this with the app, or type the key into it:</p>
                <pre class="secret">{started.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</pre>
                <Form action="Turn codes on" isMain onSubmit={prove}>
                  <Field
                    label="The code that the app shows"
                    name="code"
                    autocomplete="one-time-code"
                    inputMode="numeric"
                    takesFocus
                  />
                </Form>
              </div>
            </div>
          ) : (
            <Form action="Set up an app" onSubmit={start} />
          )}
        </>
      )}
    </details>
  )
}

function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  return (
    <div class="made" role="status">
      <p>
        <b>Your recovery codes.</b> Each signs you in once without the app. Keep them apart from it: they are not shown
        again.
      </p>
      <pre class="codes">{codes.join('\n')}</pre>
      <div class="actions">
        <CopyButton text={codes.join('\n')}>Copy all</CopyButton>
      </div>
    </div>
  )
}

function QrCode({ text }: { readonly text: string }) {
  const code = generate(text)
  const side = code.size + 8
  return (
    <svg class="qr" viewBox={`-4 -4 ${side} ${side}`} role="img" aria-label="QR code of the key below">
      <rect x="-4" y="-4" width={side} height={side} fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" shape-rendering="crispEdges" />
    </svg>
  )
}
