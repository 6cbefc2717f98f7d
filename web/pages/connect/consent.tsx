import { useEffect, useState } from 'preact/hooks'
import { type Account, type ActionRow, act } from '../../data/accounts.ts'
import { explain } from '../../data/failure.ts'
import { Form } from '../../parts/form.tsx'
import { useAnswer } from '../../parts/use-answer.tsx'
import { withConfirmation } from '../account/confirm.tsx'

type ConnectionRequest = ActionRow<'POST /v1/connections/lookup'>

export function Consent({ account }: { readonly account: Account }) {
  const query = location.search.slice(1)
  const { value: request, error } = useAnswer(
    async () => (await act('POST /v1/connections/lookup', { body: { query } }))[0],
    [account.email],
  )
  if (request?.problem === null) return <Ask request={request} account={account} query={query} />
  if (!request && error === undefined) return null
  return (
    <>
      <h1>This app cannot be connected</h1>
      <p role="alert">
        {request ? `The request of “${request.client_name}” is invalid: ${request.problem}.` : explain(error).message}
      </p>
      {request ? (
        <a class="pill" href={request.refusal_url}>
          Back to {request.redirect_host}
        </a>
      ) : (
        <p class="muted">
          No access was granted. Start again in the app. If that does not help, contact its developer.
        </p>
      )}
    </>
  )
}

interface AskProps {
  readonly request: ConnectionRequest
  readonly account: Account
  /** Query string that the app sent. */
  readonly query: string
}

function Ask({ request, account, query }: AskProps) {
  const isReady = useFocusDelay()
  const allow = async (): Promise<void> => {
    const [connection] = await withConfirmation(() => act('POST /v1/connections', { body: { query } }))
    if (connection) location.assign(connection.redirect_url)
  }
  return (
    <>
      <h1>Connect “{request.client_name}”?</h1>
      <p>
        It can read the data of this service with your access rights, and manage your alerts. It cannot change anything
        else.
      </p>
      <dl class="request">
        <dt>App</dt>
        <dd>
          {request.client_name}
          <span class="muted">
            {request.client_host === null
              ? ', by its own account: nobody has checked the name'
              : `, for which ${request.client_host} vouches`}
          </span>
        </dd>
        <dt>Sends you to</dt>
        <dd>
          {request.redirect_host}
          {request.is_on_this_device && <span class="muted">, a program on this device</span>}
        </dd>
        <dt>Sees</dt>
        <dd>what tier {request.tier} sees</dd>
        <dt>Account</dt>
        <dd>{account.email}</dd>
      </dl>
      <p class="muted">
        Continue only if you have just started this in the app yourself. Access lasts until you revoke it on the page of
        your account, or the app is not used for 30 days.
      </p>
      <Form
        action="Allow"
        isMain
        isReady={isReady}
        onSubmit={allow}
        aside={
          <a class="pill" href={request.refusal_url}>
            Do not allow
          </a>
        }
      />
    </>
  )
}

const minFocusMs = 500

/** Requires focus for a moment, so that a click meant for another window grants nothing. */
function useFocusDelay(): boolean {
  const [isReady, setCalm] = useState(false)
  useEffect(() => {
    let timer = setTimeout(setCalm, minFocusMs, true)
    const wait = (): void => {
      clearTimeout(timer)
      setCalm(false)
      timer = setTimeout(setCalm, minFocusMs, true)
    }
    addEventListener('focus', wait)
    return () => {
      clearTimeout(timer)
      removeEventListener('focus', wait)
    }
  }, [])
  return isReady
}
