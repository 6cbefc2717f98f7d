import { createHmac, timingSafeEqual } from 'node:crypto'

const periodSeconds = 30
const digits = 6
/** Accepted around the current step: clocks differ. */
const steps = [-1, 0, 1]
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Computes the decimal code of a time step (RFC 6238). */
export function computeCode(secret: Uint8Array, step: number, length = digits, algorithm = 'sha1'): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac(algorithm, secret).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff
  return String(number % 10 ** length).padStart(length, '0')
}

/** Finds the time step of a code near `now` (ms since 1970). */
export function findStep(secret: Uint8Array, code: string, now: number): number | undefined {
  const given = Buffer.from(code)
  const current = Math.floor(now / 1000 / periodSeconds)
  return steps
    .map((step) => current + step)
    .filter((step) => {
      const expected = Buffer.from(computeCode(secret, step))
      return expected.length === given.length && timingSafeEqual(expected, given)
    })[0]
}

/** RFC 4648 base32, without padding. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => letters[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** For authenticator apps, as a QR code. */
export function otpauthUrl(secret: Uint8Array, email: string): string {
  const issuer = 'Coinstrata'
  const parameters = new URLSearchParams({
    secret: base32(secret),
    issuer,
    digits: `${digits}`,
    period: `${periodSeconds}`,
  })
  return `otpauth://totp/${issuer}:${encodeURIComponent(email)}?${parameters}`
}
