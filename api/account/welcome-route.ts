import type { Express } from 'express'
import { ApiError } from '#contract/api-error.ts'
import { paths } from '#contract/paths.ts'
import { accountCallReader, type RouteParts } from './account-routes.ts'

const usedLink =
  'this link was already used or has expired: it works once, within a day. Stop the service and start it again (npm start, or coinstrata start) for a new one'

const usedLinkPage = (home: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>This link does not work any more</title>
<h1>This link does not work any more</h1>
<p>It was already used, or has expired: it works once, within a day. The browser that opened it first is still signed in.</p>
<p>For a new link, stop the service and start it again: <code>npm start</code> in a checkout, otherwise <code>coinstrata start</code>.</p>
<p><a href="${home}">Go on without it</a>: the last 60 days of basic metrics are open to everyone.</p>
</html>
`

/** Signs a browser in, once, by the link that `start` prints for simulated data. */
export function addWelcome(app: Express, parts: RouteParts): void {
  const { accounts, links, attempts, sessions, guard, basePath } = parts
  const readCall = accountCallReader(parts)
  app.get(
    paths.welcome.replace('{token}', ':token'),
    guard(paths.welcome, 0.1, 'address'),
    async (request, response) => {
      response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
      if (request.method === 'HEAD') return void response.status(204).end()
      const call = readCall(request, response)
      attempts.count({ address: call.address })
      const id = await links.redeem(call.parameter('token'), 'trial')
      const account = id === undefined ? undefined : await accounts.get(id)
      const { token } = call.request
      const isSignedIn = token !== undefined && (await sessions.findUncached(token)) !== undefined
      if (account) await call.startSession(account)
      else if (!isSignedIn) {
        if (request.accepts(['json', 'html']) !== 'html') throw new ApiError('not_found', usedLink)
        response.status(404).set('Content-Security-Policy', "default-src 'none'")
        return void response.type('html').send(usedLinkPage(`${basePath}/`))
      }
      response.redirect(303, `${basePath}/`)
    },
  )
}
