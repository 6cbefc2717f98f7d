import type { Request, Response } from 'express'
import { sessionSeconds } from '#accounts/sessions.ts'

export type SessionCookie = ReturnType<typeof sessionCookie>

const plainName = 'coinstrata_session'

/**
 * `basePath` is empty at the root of a host. Over https, the name's prefix prevents other hosts of
 * the domain and pages over http from setting the cookie; `__Host-` is valid at the root only.
 */
export function sessionCookie(basePath: string) {
  const secureName = `${basePath === '' ? '__Host-' : '__Secure-'}${plainName}`
  const nameFor = ({ secure }: Request): string => (secure ? secureName : plainName)
  const options = ({ secure }: Request) =>
    ({ httpOnly: true, sameSite: 'strict', secure, path: basePath === '' ? '/' : basePath }) as const
  const patterns = new Map([plainName, secureName].map((name) => [name, cookiePattern(name)]))
  return {
    read: (request: Request): string | undefined => {
      const { cookie } = request.headers
      return cookie === undefined ? undefined : patterns.get(nameFor(request))?.exec(cookie)?.[1]
    },
    write: (request: Request, response: Response, token: string): void => {
      response.cookie(nameFor(request), token, { ...options(request), maxAge: sessionSeconds * 1000 })
    },
    clear: (request: Request, response: Response): void => {
      response.clearCookie(nameFor(request), options(request))
    },
  }
}

const cookiePattern = (name: string): RegExp => new RegExp(`(?:^|; *)${name}=([0-9a-f]{64})(?:;|$)`)
