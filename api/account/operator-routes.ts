import type { AddAction } from '#accounts/account-call.ts'
import { accountActions } from '#contract/accounts/actions.ts'
import { ownMetricBody } from '#contract/accounts/bodies.ts'
import { ApiError } from '#contract/api-error.ts'
import { parseBody } from '#contract/parse-body.ts'
import { allowRescan } from '#state/rescan.ts'
import { howOperator } from '../http/operator.ts'
import type { RouteParts } from './account-routes.ts'

export function addOperatorActions(add: AddAction, { generations, onRescanAllowed, saveMetric }: RouteParts): void {
  add.open(accountActions.allowRescan, ({ request: { caller } }) => {
    if (!caller.isUnlimited) {
      const how = 'run "coinstrata update --yes" on the machine that computes'
      throw new ApiError('forbidden', `only the operator may allow a second scan: ${how}`)
    }
    const rescan = allowRescan(generations.dataDir)
    if (!rescan) throw new ApiError('not_found', 'no second scan waits here: /v1/status shows what does')
    onRescanAllowed()
    const { why, effort } = rescan
    return [{ why, effort }]
  })
  add.open(accountActions.saveMetric, async ({ request: { body, isOperator } }) => {
    if (!saveMetric || !(await isOperator()))
      throw new ApiError('forbidden', `only the operator saves metrics: ${howOperator}`)
    const { catalogue } = await generations.current()
    return [{ file: await saveMetric(parseBody(ownMetricBody, body), catalogue) }]
  })
}
