import { z } from 'zod'

export interface Client {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly mayRefresh: boolean
}

const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']
/**
 * A domain name in reverse, such as `com.example.app:` (RFC 8252 7.1). Other schemes open programs
 * of the system.
 */
const appScheme = /^[a-z][a-z\d-]*(\.[a-z\d-]+)+:$/

/** Cursor cannot connect without it; PKCE binds its codes to the program that asked. */
const appAddresses: readonly string[] = ['cursor://anysphere.cursor-mcp/oauth/callback']

/** Plain http within the user's own device, which is safe. */
export const isLoopbackUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && loopbackHosts.includes(hostname)

function isRedirectUri(text: string): boolean {
  if (appAddresses.includes(text)) return true
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '' || text.includes('#')) return false
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' ? isLoopbackUrl(url) : appScheme.test(url.protocol)
}

const redirectUri = z
  .string()
  .max(500, 'must have at most 500 characters')
  .regex(/^[\x21-\x7e]+$/, 'must be an address without spaces')

const fields = {
  // Some apps send addresses of several kinds; unacceptable ones are left out (RFC 7591 2).
  redirect_uris: z
    .array(redirectUri)
    .max(10, 'must have at most 10 entries')
    .transform((uris) => uris.filter(isRedirectUri))
    .refine(
      (uris) => uris.length > 0,
      'must name an address that is https, http on 127.0.0.1, [::1] or localhost, or has a scheme such as com.example.app:; without a fragment',
    ),
  client_name: z.string().max(200, 'must have at most 200 characters').optional(),
  grant_types: z.array(z.string()).max(10).default(['authorization_code']),
  response_types: z.array(z.string()).max(10).default(['code']),
}
const usesCodes = ({ grant_types, response_types }: { grant_types: string[]; response_types: string[] }): boolean =>
  grant_types.includes('authorization_code') && response_types.includes('code')
const onlyCodes = {
  error: 'must allow authorization_code and code, which is all that is spoken here',
  path: ['grant_types'],
}

/** Client registration (RFC 7591). Unknown fields are ignored. */
export const registrationSchema = z.object(fields).refine(usesCodes, onlyCodes)

/** Metadata document of a client, which must work without a secret. */
export const documentSchema = z
  .object({
    ...fields,
    client_id: z.string(),
    token_endpoint_auth_method: z.string().default('none'),
    token_endpoint_auth_methods_supported: z.array(z.string()).max(20).default([]),
    client_secret: z.undefined('must not be there').optional(),
  })
  .refine(usesCodes, onlyCodes)
  .refine(
    ({ token_endpoint_auth_method: method, token_endpoint_auth_methods_supported: others }) =>
      method === 'none' || others.includes('none'),
    {
      error: 'must be none, or token_endpoint_auth_methods_supported must name none',
      path: ['token_endpoint_auth_method'],
    },
  )

export function createClient(
  id: string,
  { client_name, redirect_uris, grant_types }: z.output<typeof registrationSchema>,
): Client {
  return {
    id,
    name: sanitizeName(client_name ?? '') || 'An app without a name',
    redirectUris: redirect_uris,
    mayRefresh: grant_types.includes('refresh_token'),
  }
}

/** Removes characters that could reorder or hide surrounding text. */
const sanitizeName = (name: string): string =>
  name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 100)

/** A loopback URI may have another port (RFC 8252 7.3). */
export function hasRedirect({ redirectUris }: Client, given: string): boolean {
  if (redirectUris.includes(given)) return true
  const withoutPort = (text: string): string | undefined => {
    const url = URL.parse(text)
    if (!url || !isLoopbackUrl(url)) return undefined
    url.port = ''
    return url.href
  }
  const loopback = isRedirectUri(given) ? withoutPort(given) : undefined
  return loopback !== undefined && redirectUris.some((uri) => withoutPort(uri) === loopback)
}
