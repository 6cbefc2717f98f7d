import { randomBytes, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { z } from 'zod'
import { andThen, type MaybePromise } from '#base/maybe-promise.ts'
import { type KeyLimits, keyLimits } from '#contract/accounts/bodies.ts'
import { lowerTier } from '#contract/oauth.ts'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import { recordChange, recorded } from './database/account-log.ts'
import { CachedStore } from './database/cached-store.ts'
import { sha256 } from './database/digest.ts'
import { columnsOf, countRows, insertion, jsonText, type Statements, timeText } from './database/statements.ts'

const keySchema = z.object({
  id: z.string(),
  account_id: z.int(),
  name: z.string(),
  created_at: timeText,
  expires_at: timeText.nullable(),
  revoked_at: timeText.nullable(),
  last_used_at: timeText.nullable(),
  limits: jsonText(keyLimits).nullable(),
})

/** Without the secret. `id` is the first part of the key. */
export type ApiKey = z.infer<typeof keySchema>

const storedSchema = z.object({
  id: z.string(),
  account_id: z.int(),
  tier: z.enum(accountTiers),
  hash: z.instanceof(Uint8Array),
  expires_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
  last_used_at: z.int().nullable(),
  limits: jsonText(
    keyLimits.transform(({ networks, ...rest }) => ({ ...rest, within: networks && blockList(networks) })),
  ).nullable(),
})
/** Times are in ms since 1970. */
type StoredKey = z.infer<typeof storedSchema>

/** `at`: time of revocation or expiry, in ms since 1970. */
export interface KeyProblem {
  readonly problem: 'unknown' | 'revoked' | 'expired' | 'elsewhere'
  readonly at?: number
}

/** `request`: of a data link. */
type KeyHolder = Readonly<{ id: string; accountId: number; tier: AccountTier; request: string | undefined }>
export type KeyCheck = KeyHolder | KeyProblem

const columns = columnsOf(keySchema)
const keyPattern = /^(c[sd]_[0-9a-f]{12})_[0-9a-f]{48}$/
/** Cached even for SQLite: hashing a key takes much of the time of an answer from memory. */
const minCacheMs = 1_000

/**
 * API keys, as `cs_<id>_<secret>`, and data links, as `cd_<id>_<secret>`. Only their SHA-256 is
 * stored, which is safe for 192 random bits.
 */
export class ApiKeys extends CachedStore<StoredKey> {
  /** Returns a new key, whose text is not stored; undefined at `max` valid keys. */
  create(
    accountId: number,
    name: string,
    expiresAt?: number,
    max = Number.POSITIVE_INFINITY,
    limits?: KeyLimits,
  ): Promise<{ readonly key: string; readonly record: ApiKey } | undefined> {
    const id = `${limits?.request === undefined ? 'cs' : 'cd'}_${randomBytes(6).toString('hex')}`
    const key = `${id}_${randomBytes(24).toString('hex')}`
    return this.database.transaction(async (statements) => {
      const now = Date.now()
      const valid = 'account_id = $accountId AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $now)'
      if ((await countRows(statements, `api_keys WHERE ${valid}`, { accountId, now })) >= max) return undefined
      const dates = { created_at: now, expires_at: expiresAt ?? null }
      const text = limits === undefined ? null : JSON.stringify(limits)
      const row = { id, account_id: accountId, name, hash: sha256(key), limits: text, ...dates }
      await recordChange(statements, accountId, 'key created', `${id} (${name}) ${text ?? ''}`)
      const record = await statements.get(keySchema, insertion('api_keys', row, `RETURNING ${columns}`), row)
      return { key, record: record! }
    })
  }

  list(accountId: number): Promise<ApiKey[]> {
    const sql = `SELECT ${columns} FROM api_keys WHERE account_id = $accountId ORDER BY created_at DESC, rowid DESC`
    return this.database.all(keySchema, sql, { accountId })
  }

  /**
   * Revokes a key, of any account if none is given; other processes notice within seconds. Returns
   * undefined if it is unknown or already revoked.
   */
  async revoke(id: string, accountId?: number): Promise<ApiKey | undefined> {
    const sql = `UPDATE api_keys SET revoked_at = $now
       WHERE id = $id AND account_id = coalesce($accountId, account_id) AND revoked_at IS NULL RETURNING ${columns}`
    const values = { now: Date.now(), id, accountId: accountId ?? null }
    const end = (statements: Statements) => statements.get(keySchema, sql, values)
    const key = await recorded(this.database, end, ({ account_id, name }) => [
      account_id,
      'key revoked',
      `${id} (${name})`,
    ])
    this.clearCache()
    return key
  }

  /** Returns the owner of a key, or why it is refused. Throws `accounts_unavailable`. */
  check(key: string, address?: string, now = Date.now()): MaybePromise<KeyCheck> {
    return andThen(this.findCached(key, now), (stored): KeyCheck => {
      if (!stored) return { problem: 'unknown' }
      if (stored.revoked_at !== null) return { problem: 'revoked', at: stored.revoked_at }
      if (stored.expires_at !== null && stored.expires_at <= now) return { problem: 'expired', at: stored.expires_at }
      const { within, request, tier = stored.tier } = stored.limits ?? {}
      if (within && !includes(within, address)) return { problem: 'elsewhere' }
      this.recordUse(stored, now)
      return { id: stored.id, accountId: stored.account_id, tier: lowerTier(tier, stored.tier), request }
    })
  }

  protected override get cacheMs(): number {
    return Math.max(minCacheMs, this.database.cacheMs)
  }

  protected saveUse({ id }: StoredKey, now: number): Promise<unknown> {
    return this.database.run('UPDATE api_keys SET last_used_at = $now WHERE id = $id', { now, id })
  }

  protected describeForLog({ id }: StoredKey): string {
    return `the API key ${id}`
  }

  protected async read(key: string): Promise<StoredKey | undefined> {
    const id = keyPattern.exec(key)?.[1]
    if (id === undefined) return undefined
    const stored = await this.database.get(
      storedSchema,
      `SELECT api_keys.id AS id, account_id, tier, hash, expires_at, revoked_at, last_used_at, limits
       FROM api_keys JOIN accounts ON accounts.id = account_id WHERE api_keys.id = $id`,
      { id },
    )
    return stored && timingSafeEqual(stored.hash, sha256(key)) ? stored : undefined
  }
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits = isIPv4(address) ? 32 : 128] = network.split('/')
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Addresses of IPv4 within IPv6 count as IPv4. */
const includes = (list: BlockList, address = ''): boolean =>
  isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
