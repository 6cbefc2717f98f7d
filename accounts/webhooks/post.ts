import { sendChecked, UnreachableError } from './checked-request.ts'
import type { TargetPolicy } from './target.ts'

export interface Outcome {
  readonly isDelivered: boolean
  readonly problem: string | null
  /** The receiver answered 410 Gone. */
  readonly isGone: boolean
}

export interface Message {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const failed = (problem: string): Outcome => ({ isDelivered: false, problem, isGone: false })

/** Sends a message to a checked address; does not read the response body. */
export async function post(
  { url, headers, body }: Message,
  policy: TargetPolicy,
  timeoutMs: number,
  stop: AbortSignal,
): Promise<Outcome> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)])
  const length = String(Buffer.byteLength(body))
  const all = { ...headers, 'content-type': 'application/json', 'content-length': length }
  try {
    const { status, body: answerBody } = await sendChecked(
      { url: new URL(url), method: 'POST', headers: all, body },
      policy,
      signal,
    )
    answerBody.destroy()
    if (status >= 200 && status < 300) return { isDelivered: true, problem: null, isGone: false }
    const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
    return { isDelivered: false, problem: `it answered ${status}${hint}`, isGone: status === 410 }
  } catch (error) {
    if (signal.aborted) return failed(`it did not answer within ${timeoutMs / 1000} seconds`)
    if (error instanceof UnreachableError) return failed(error.message)
    throw error
  }
}
