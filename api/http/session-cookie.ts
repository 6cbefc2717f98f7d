import type { Request, Response } from 'express'
import { sessionSeconds } from '#accounts/sessions.ts'

export interface SessionCookie {
  readonly read: (request: Request) => string | undefined
  readonly write: (request: Request, response: Response, token: string) => void
  readonly clear: (request: Request, response: Response) => void
}

const plainName = 'coinstrata_session'

/**
 * `basePath` is empty at the root of a host. Over https, the prefix of the name prevents other
 * hosts of the same domain and pages over http from setting the cookie; `__Host-` is valid at the
 * root only.
 */
export function sessionCookie(basePath: string): SessionCookie {
  const secureName = `${basePath === '' ? '__Host-' : '__Secure-'}${plainName}`
  const nameFor = ({ secure }: Request): string => (secure ? secureName : plainName)
  const options = ({ secure }: Request) =>
    ({ httpOnly: true, sameSite: 'strict', secure, path: basePath === '' ? '/' : basePath }) as const
  const patterns = new Map([plainName, secureName].map((name) => [name, cookiePattern(name)]))
  return {
    read: (request) => {
      const { cookie } = request.headers
      return cookie === undefined ? undefined : patterns.get(nameFor(request))?.exec(cookie)?.[1]
    },
    write: (request, response, token) => {
      response.cookie(nameFor(request), token, { ...options(request), maxAge: sessionSeconds * 1000 })
    },
    clear: (request, response) => {
      response.clearCookie(nameFor(request), options(request))
    },
  }
}

const cookiePattern = (name: string): RegExp => new RegExp(`(?:^|; *)${name}=([0-9a-f]{64})(?:;|$)`)
