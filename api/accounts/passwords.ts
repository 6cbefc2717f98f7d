import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** About 32 MB and a tenth of a second for each guess. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 }

/** Salted scrypt hash of a password, as text that also names the cost. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Takes as long without a hash, so that the time does not tell whether an account exists. */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', expected = ''] = (stored ?? decoy).split('$')
  const key = await derive(password, Buffer.from(salt, 'base64url'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    maxmem: cost.maxmem,
  })
  const isEqual = timingSafeEqual(key, Buffer.from(expected, 'base64url'))
  return isEqual && stored !== null && stored !== undefined
}

const decoy = ['scrypt', cost.N, cost.r, cost.p, 'A'.repeat(22), 'A'.repeat(43)].join('$')

function derive(password: string, salt: Buffer, options: typeof cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
