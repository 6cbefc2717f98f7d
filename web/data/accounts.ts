import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { z } from 'zod'
import { RequestError } from '#clients/typescript/request.ts'
import type { AccountAction } from '#contract/accounts/actions.ts'
import { clearCache, readJson, request } from './client.ts'

type Actions = { readonly [A in AccountAction as `${Uppercase<A['method']>} ${A['path']}`]: A }
/** `METHOD /path`. */
export type ActionName = keyof Actions
export type ActionRow<N extends ActionName> = z.output<Actions[N]['row']>

interface ActionInput<N extends ActionName> {
  readonly body?: z.input<Actions[N]['body']>
  /** Replaces the path parameter. */
  readonly id?: string
}

export async function act<N extends ActionName>(
  name: N,
  { body, id = '' }: ActionInput<N> = {},
): Promise<readonly ActionRow<N>[]> {
  const [method = '', path = ''] = name.split(' ')
  const response = await request(path.slice(1).replace(/\{\w+\}/, encodeURIComponent(id)), {
    method,
    ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const { data } = await readJson<{ readonly data: readonly ActionRow<N>[] }>(response)
  return data
}

export type Access = ActionRow<'GET /v1/access'>
export type Account = ActionRow<'GET /v1/account'>

/** Undefined until known. */
export const access = signal<Access | undefined>(undefined)
/** Null if signed out, undefined until known. */
export const account = signal<Account | null | undefined>(undefined)

export async function readAccount(): Promise<void> {
  const [current] = await act('GET /v1/access')
  access.value = current
  account.value = current?.email == null ? null : ((await act('GET /v1/account'))[0] ?? null)
}

/** Call after sign-in and sign-out: clears answers that the previous user saw. */
export async function reloadAccount(): Promise<void> {
  clearCache()
  await readAccount()
}

export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof RequestError && error.code === code

export function useAccount(): { readonly error: unknown; readonly retry: () => void } {
  const [error, setError] = useState<unknown>()
  const retry = (): void => {
    setError(undefined)
    readAccount().catch(setError)
  }
  useEffect(retry, [])
  return { error, retry }
}
