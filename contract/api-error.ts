const statuses = {
  invalid_parameter: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  invalid_credentials: 401,
  second_factor_needed: 401,
  insufficient_tier: 403,
  forbidden: 403,
  network_not_allowed: 403,
  confirmation_needed: 403,
  sign_up_closed: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  quota_exceeded: 429,
  budget_exceeded: 429,
  headers_too_large: 431,
  internal: 500,
  data_not_ready: 503,
  data_damaged: 503,
  storage_unavailable: 503,
  overloaded: 503,
  render_overloaded: 503,
  events_overloaded: 503,
  sign_in_overloaded: 503,
  mail_unavailable: 503,
  render_timeout: 504,
} as const

export type ApiErrorCode = keyof typeof statuses

/** Sent to clients unchanged: what is wrong, and what to do. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  /** For programs: parameter name, allowed values and the like. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: ApiErrorCode, message: string, details?: Readonly<Record<string, unknown>>, cause?: unknown) {
    super(message, { cause })
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return statuses[this.code]
  }
}

/** `given` is the offending value. */
export function invalidParameter(parameter: string, problem: string, given?: unknown): ApiError {
  const offending = given === undefined ? '' : `; it is '${shorten(String(given))}'`
  return new ApiError('invalid_parameter', `parameter '${shorten(parameter)}' ${problem}${offending}`, {
    parameter: shorten(parameter),
  })
}

export const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)

const retryAfterSeconds = 5

/** For callers with a key or cookie: they are not served as if they had none. */
export const accountsUnavailable = (cause?: unknown): ApiError =>
  new ApiError(
    'storage_unavailable',
    `accounts cannot be reached right now; try again in ${retryAfterSeconds} seconds. Demo data needs no key`,
    { retry_after: retryAfterSeconds },
    cause,
  )

const publishAgain = 'the operator can run "coinstrata update" or "coinstrata pull"'

/** An answer from a damaged file could be wrong. */
export const dataDamaged = (table: string, remedy = publishAgain): ApiError =>
  new ApiError('data_damaged', `the published table '${table}' is damaged here and not served: ${remedy}`, {
    table,
    retry_after: 60,
  })

/** The description of its files is damaged. */
export const generationDamaged = (id: string): ApiError =>
  new ApiError('data_damaged', `generation ${id} is damaged here and not served: ${publishAgain}`, { retry_after: 60 })

export const errorBody = ({ code, message, details }: ApiError, retryAfter?: number) => ({
  success: false as const,
  error: { code, message, ...(details && { details }) },
  message,
  ...(retryAfter !== undefined && { retry_after: retryAfter }),
  timestamp: new Date().toISOString(),
})
