import type { RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'
import { readWalletReports } from '#state/wallet-reports.ts'
import { howOperator, isOperator, type OperatorAccess } from './operator.ts'

/** Serves the operator's wallets to the operator alone. */
export const serveWallets =
  (access: OperatorAccess & { readonly dataDir: string }): RequestHandler =>
  async (request, response) => {
    response.setHeader('Cache-Control', 'private, no-store')
    if (!(await isOperator(request, access)))
      throw new ApiError('forbidden', `only the operator sees wallets: ${howOperator}`)
    response.type('json').send(`{"data":[${readWalletReports(access.dataDir).join()}]}`)
  }
