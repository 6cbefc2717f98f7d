/** Error codes of RFC 6749 5.2, RFC 7591 3.2.2 and RFC 8707 2, with their HTTP status. */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
} as const

export class OAuthError extends Error {
  readonly code: keyof typeof statuses
  readonly status: number

  constructor(code: keyof typeof statuses, message: string) {
    super(message)
    this.name = 'OAuthError'
    this.code = code
    this.status = statuses[code]
  }
}
