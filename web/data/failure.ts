import { RequestError } from '#clients/typescript/request.ts'

export function explain(error: unknown): { readonly message: string; readonly cure: string } {
  if (!(error instanceof RequestError)) {
    return { message: error instanceof Error ? error.message : String(error), cure: 'Try again.' }
  }
  // Readers sign in instead of sending a key.
  const message = error.message.replace(/: send it as 'Authorization.*$/, '')
  return {
    message: toSentence(message),
    cure: 'first_date' in error.details ? 'Choose later days.' : (cures[error.code] ?? 'Try again.'),
  }
}

const checkService = 'Check that the service runs, then try again. What you typed is still here.'
const cures: Readonly<Record<string, string>> = {
  unreachable: checkService,
  unknown: checkService,
  data_not_ready: 'The first update is still running. This page loads when it is done.',
  data_damaged: 'The operator has to repair the data first.',
  missing_api_key: 'Sign in with an account that has access.',
  insufficient_tier: 'Sign in with an account of that tier.',
  rate_limited: 'Wait a moment, then try again.',
  quota_exceeded: 'The day ends at midnight UTC.',
  budget_exceeded: 'Wait a moment, then ask for less.',
  not_found: 'Check the name, or search for it.',
  invalid_parameter: 'Correct it and try again.',
}

export const toSentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
