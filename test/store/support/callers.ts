import { openAccountStores } from '#accounts/services.ts'
import { parseDay } from '#base/days.ts'
import type { AccountTier } from '#contract/tiers.ts'
import { firstDay, metrics, unknownDays } from '../../api/support/small-generation.ts'
import { bearer } from '../../api/support/test-server.ts'

/** Somebody who asks: by a key, or without one from an address of their own. */
export interface Caller {
  readonly headers: Readonly<Record<string, string>>
}

/**
 * What somebody of a tier asks, and what they must get, as `answerText` writes it. Of prices a tier
 * sees as many days as its history has.
 */
export interface Question {
  readonly tier: 'demo' | AccountTier
  readonly path: string
  readonly expected: string
}

const days = (count: number): string => `200, ${count} rows`

export const questions: readonly Question[] = [
  { tier: 'demo', path: '/v1/prices?limit=1000', expected: days(60) },
  { tier: 'pro', path: '/v1/holder/profit?limit=1000', expected: days(390) },
  { tier: 'demo', path: '/v1/holder/profit', expected: '401 missing_api_key' },
  { tier: 'enterprise', path: '/v1/series?metrics=density&limit=1000', expected: days(390) },
  { tier: 'pro', path: '/v1/series?metrics=density', expected: '403 insufficient_tier' },
]

let addresses = 0

export const newAddress = (): Caller => ({
  headers: { 'x-forwarded-for': `198.51.${addresses >> 8}.${addresses++ & 255}` },
})

/** Somebody with a key that nobody made. */
export const withMadeUpKey: Caller = { headers: bearer(`cs_${'0'.repeat(12)}_${'0'.repeat(48)}`) }

/** So many accounts of a tier with a key each, in the PostgreSQL at that address. */
export async function makeAccounts(databaseUrl: string, tier: AccountTier, count: number): Promise<Caller[]> {
  const { accounts, keys, close } = await openAccountStores({ DATA_DIR: '/nonexistent', DATABASE_URL: databaseUrl })
  try {
    return await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const account = await accounts.create(`${tier}-${i}@example.org`, tier)
        const made = account && (await keys.create(account.id, 'trial'))
        if (!made) throw new Error(`no key of tier ${tier}`)
        return { headers: bearer(made.key) }
      }),
    )
  } finally {
    await close()
  }
}

/** Status, and code of the error or number of rows. */
export async function answerText(response: Response): Promise<string> {
  const { error, data } = await response.json()
  const later = response.status === 503 && !response.headers.has('retry-after') ? ' without Retry-After' : ''
  if (error) return `${response.status} ${error.code}${later}`
  const wrong = data.find((row: Record<string, unknown>) => !isRight(row))
  return wrong
    ? `${response.status} with a wrong row ${JSON.stringify(wrong)}`
    : `${response.status}, ${data.length} rows`
}

/** Every metric of a row of a day is known by heart. */
function isRight(row: Record<string, unknown>): boolean {
  const n = parseDay(String(row.date ?? '')) - firstDay
  return Object.entries(metrics).every(([name, { value }]) => {
    const found = row[name]
    return found === undefined || (found === null ? n < unknownDays || name === 'never' : found === value(n))
  })
}
