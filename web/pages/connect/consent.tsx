import { useEffect, useState } from 'preact/hooks'
import { type Account, type ActionRow, act } from '../../data/accounts.ts'
import { explain } from '../../data/failure.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Form } from '../../parts/form.tsx'
import { confirming } from '../account/confirm.tsx'

type Asked = ActionRow<'POST /v1/connections/lookup'>

/** What an app asks for, and the answer of the reader. */
export function Consent({ account }: { readonly account: Account }) {
  const query = location.search.slice(1)
  const { value: asked, error } = useAnswer(
    async () => (await act('POST /v1/connections/lookup', { body: { query } }))[0],
    [account.email],
  )
  if (asked)
    return asked.problem === null ? <Ask asked={asked} account={account} query={query} /> : <Wrong asked={asked} />
  if (error === undefined) return null
  return (
    <>
      <h1>This app cannot be connected</h1>
      <p role="alert">{explain(error).what}</p>
      <p class="muted">No access was granted. Start again in the app. If that does not help, contact its developer.</p>
    </>
  )
}

function Wrong({ asked }: { readonly asked: Asked }) {
  return (
    <>
      <h1>This app cannot be connected</h1>
      <p role="alert">
        “{asked.client_name}” asks for it wrongly: {asked.problem}.
      </p>
      <a class="pill" href={asked.refusal_url}>
        Back to {asked.redirect_host}
      </a>
    </>
  )
}

interface AskProps {
  readonly asked: Asked
  readonly account: Account
  /** What the app sent the browser with. */
  readonly query: string
}

function Ask({ asked, account, query }: AskProps) {
  const isCalm = useCalm()
  const allow = async (): Promise<void> => {
    const [made] = await confirming(() => act('POST /v1/connections', { body: { query } }))
    if (made) location.assign(made.redirect_url)
  }
  return (
    <>
      <h1>Connect “{asked.client_name}”?</h1>
      <p>It can read the data of this service with your access rights. It cannot change anything.</p>
      <dl class="asked">
        <dt>App</dt>
        <dd>
          {asked.client_name}
          <span class="muted">
            {asked.client_host === null
              ? ', by its own account: nobody has checked the name'
              : `, for which ${asked.client_host} vouches`}
          </span>
        </dd>
        <dt>Sends you to</dt>
        <dd>
          {asked.redirect_host}
          {asked.is_on_this_device && <span class="muted">, a program on this device</span>}
        </dd>
        <dt>Sees</dt>
        <dd>what tier {asked.tier} sees</dd>
        <dt>Account</dt>
        <dd>{account.email}</dd>
      </dl>
      <p class="muted">
        Continue only if you have just started this in the app yourself. Access lasts until you revoke it on the page of
        your account, or the app is not used for 30 days.
      </p>
      <Form
        action="Allow"
        isReady={isCalm}
        onSubmit={allow}
        aside={
          <a class="pill" href={asked.refusal_url}>
            Do not allow
          </a>
        }
      />
    </>
  )
}

/** Milliseconds. */
const longEnough = 500

/** Whether the page has been in front for a moment: a click that was meant for another window allows nothing. */
function useCalm(): boolean {
  const [isCalm, setCalm] = useState(false)
  useEffect(() => {
    let timer = setTimeout(setCalm, longEnough, true)
    const wait = (): void => {
      clearTimeout(timer)
      setCalm(false)
      timer = setTimeout(setCalm, longEnough, true)
    }
    addEventListener('focus', wait)
    return () => {
      clearTimeout(timer)
      removeEventListener('focus', wait)
    }
  }, [])
  return isCalm
}
