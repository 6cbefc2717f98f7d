import { createHmac } from 'node:crypto'

/** As in Standard Webhooks. */
export const formatSecret = (secret: Uint8Array): string => `whsec_${Buffer.from(secret).toString('base64')}`

/**
 * Signs as in Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 of id, time of
 * sending (`now`, ms since 1970) and body, one signature per secret.
 */
export function createSignatureHeaders(
  id: string,
  now: number,
  body: string,
  secrets: readonly Uint8Array[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`)
    return `v1,${mac.digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
