import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { operatorActions } from '#contract/accounts/actions/operator.ts'
import { signInActions } from '#contract/accounts/actions/sign-in.ts'
import { type AccountAction, accountActions } from '#contract/accounts/actions.ts'
import { accountSuccessSchema } from '#contract/accounts/rows.ts'
import { byKey, failures, jsonContent, ofBodies } from './common.ts'

const { sharedBoard, tryAlert } = accountActions
const openActions = { ...signInActions, ...operatorActions, sharedBoard, tryAlert }

export function accountOperation(name: string, action: AccountAction) {
  const { path, summary, pathParameters, query, body, row, status, allowsKeys } = action
  const schema = accountSuccessSchema(row, 'meta' in action ? action.meta : undefined)
  const hasBody = !(body instanceof z.ZodUndefined)
  return {
    operationId: name,
    tags: [path.startsWith(accountActions.alerts.path) ? 'Alerts' : 'Account'],
    summary,
    description:
      name in openActions
        ? 'For pages of this service, even if nobody is signed in.'
        : allowsKeys
          ? 'Needs a session cookie or an API key.'
          : 'Needs a session cookie; API keys are not accepted here.',
    security: [...(name in openActions ? [{}] : []), { session: [] }, ...(allowsKeys ? byKey : [])],
    requestParams: { path: pathParameters, query },
    ...(hasBody && { requestBody: { required: true, content: jsonContent(body, 'input') } }),
    responses: {
      [status]: { description: 'Done', content: jsonContent(schema) },
      ...failures(hasBody ? ofBodies : []),
    },
  } satisfies ZodOpenApiOperationObject
}
