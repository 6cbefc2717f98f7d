import { expect, test } from 'vitest'
import { base32, computeCode, findStep, otpauthUrl } from '#accounts/one-time-codes.ts'

/** RFC 6238, appendix B: seconds since 1970, and the codes by SHA-1, SHA-256 and SHA-512. */
const vectors: readonly (readonly [seconds: number, ...codes: [string, string, string]])[] = [
  [59, '94287082', '46119246', '90693936'],
  [1_111_111_109, '07081804', '68084774', '25091201'],
  [1_111_111_111, '14050471', '67062674', '99943326'],
  [1_234_567_890, '89005924', '91819424', '93441116'],
  [2_000_000_000, '69279037', '90698825', '38618901'],
  [20_000_000_000, '65353130', '77737706', '47863826'],
]
const digits = '1234567890'.repeat(7)
const secrets = { sha1: 20, sha256: 32, sha512: 64 } as const

test('codes are those of RFC 6238', () => {
  for (const [seconds, ...codes] of vectors) {
    const made = Object.entries(secrets).map(([algorithm, length]) =>
      computeCode(Buffer.from(digits.slice(0, length)), Math.floor(seconds / 30), 8, algorithm),
    )
    expect(made).toEqual(codes)
  }
})

test('a code holds a step before and after its own, as six digits', () => {
  const secret = Buffer.from(digits.slice(0, 20))
  const now = 1_111_111_111_000
  const step = Math.floor(now / 30_000)
  expect(computeCode(secret, step)).toBe('050471')
  expect([-1, 0, 1].map((by) => findStep(secret, '050471', now + by * 30_000))).toEqual([step, step, step])
  expect([-2, 2].map((by) => findStep(secret, '050471', now + by * 30_000))).toEqual([undefined, undefined])
  for (const wrong of ['50471', '0050471', '', '050472']) expect(findStep(secret, wrong, now)).toBeUndefined()
})

test('secrets are written as apps read them', () => {
  // RFC 4648, section 10.
  const texts = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' }
  for (const [text, written] of Object.entries(texts)) expect(base32(Buffer.from(text))).toBe(written)
  expect(otpauthUrl(Buffer.from('foobar'), 'a+b@example.org')).toBe(
    'otpauth://totp/Coinstrata:a%2Bb%40example.org?secret=MZXW6YTBOI&issuer=Coinstrata&digits=6&period=30',
  )
})
