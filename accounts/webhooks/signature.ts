import { createHmac } from 'node:crypto'

/** How secrets are written, as in Standard Webhooks: the bytes of the key in base64. */
export const formatSecret = (secret: Uint8Array): string => `whsec_${Buffer.from(secret).toString('base64')}`

/**
 * Headers that prove from whom a message is, by Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over
 * its id, the time of sending (milliseconds since 1970) and its body; a signature for each secret that holds.
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
