import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { type AccountTier, accountTiers } from '#contract/tiers.ts'
import type { Logger } from '#root/log.ts'
import { sha256 } from './digest.ts'

const keySchema = z.object({
  id: z.string(),
  account_id: z.int(),
  name: z.string(),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
  last_used_at: z.int().nullable(),
})

/** A key without its secret. `id` is how the key begins; times are milliseconds since 1970. */
export type ApiKey = z.infer<typeof keySchema>

const checkedSchema = keySchema.extend({ hash: z.instanceof(Uint8Array), tier: z.enum(accountTiers) })

/** Why a key opens nothing, and since when (milliseconds since 1970). */
export interface KeyProblem {
  readonly problem: 'unknown' | 'revoked' | 'expired'
  readonly at?: number
}

export type KeyCheck = { readonly id: string; readonly accountId: number; readonly tier: AccountTier } | KeyProblem

const columns = 'id, account_id, name, created_at, expires_at, revoked_at, last_used_at'
const keyPattern = /^(cs_[0-9a-f]{12})_[0-9a-f]{48}$/
/** How exactly `last_used_at` is kept, in milliseconds. */
const usePrecision = 60_000
/** For so many milliseconds no key is looked up again: another process that revokes it is heard after that. */
const rememberedFor = 1_000
const mostRemembered = 10_000

type StoredKey = z.infer<typeof checkedSchema>

/** API keys. A key is `cs_<id>_<secret>`; only its SHA-256 is stored, which 192 random bits make safe. */
export class ApiKeys {
  readonly #database: DatabaseSync
  readonly #lookUp: StatementSync
  readonly #markUsed: StatementSync
  readonly #log: Logger | undefined
  /** By key: to hash it takes a good part of the time of an answer from memory. */
  readonly #remembered = new Map<string, StoredKey>()
  #rememberedUntil = 0

  constructor(database: DatabaseSync, log?: Logger) {
    this.#database = database
    this.#log = log
    this.#lookUp = database.prepare(
      `SELECT ${columns.replace(/\w+/g, 'api_keys.$&')}, hash, tier
       FROM api_keys JOIN accounts ON accounts.id = account_id WHERE api_keys.id = ?`,
    )
    this.#markUsed = database.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?')
  }

  /** Makes a key; its text is returned this once and never again. */
  create(accountId: number, name: string, expiresAt?: number): { readonly key: string; readonly record: ApiKey } {
    const id = `cs_${randomBytes(6).toString('hex')}`
    const key = `${id}_${randomBytes(24).toString('hex')}`
    const row = this.#database
      .prepare(
        `INSERT INTO api_keys (id, account_id, name, hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
         RETURNING ${columns}`,
      )
      .get(id, accountId, name, sha256(key), Date.now(), expiresAt ?? null)
    return { key, record: keySchema.parse(row) }
  }

  /** Newest first. */
  list(accountId: number): ApiKey[] {
    const rows = this.#database
      .prepare(`SELECT ${columns} FROM api_keys WHERE account_id = ? ORDER BY created_at DESC, rowid DESC`)
      .all(accountId)
    return z.array(keySchema).parse(rows)
  }

  /**
   * Revokes a key by its id at once and for good, whoever has it unless an account is given. Returns undefined where
   * there is no such key in force.
   */
  revoke(id: string, accountId?: number): ApiKey | undefined {
    this.#remembered.clear()
    const row = this.#database
      .prepare(
        `UPDATE api_keys SET revoked_at = $now
         WHERE id = $id AND account_id = coalesce($account, account_id) AND revoked_at IS NULL RETURNING ${columns}`,
      )
      .get({ now: Date.now(), id, account: accountId ?? null })
    return row && keySchema.parse(row)
  }

  /** How many keys of an account are in force. */
  count(accountId: number): number {
    const now = Date.now()
    return this.list(accountId).filter(
      ({ revoked_at, expires_at }) => revoked_at === null && (expires_at === null || expires_at > now),
    ).length
  }

  /** Looks every key up again: some are gone. */
  forgetRemembered(): void {
    this.#remembered.clear()
  }

  /** Whose key it is, or why it does not open anything. */
  check(key: string, now = Date.now()): KeyCheck {
    const stored = this.#find(key, now)
    if (!stored) return { problem: 'unknown' }
    if (stored.revoked_at !== null) return { problem: 'revoked', at: stored.revoked_at }
    if (stored.expires_at !== null && stored.expires_at <= now) return { problem: 'expired', at: stored.expires_at }
    if (now - (stored.last_used_at ?? 0) >= usePrecision) {
      stored.last_used_at = now
      this.#noteUse(stored.id, now)
    }
    return { id: stored.id, accountId: stored.account_id, tier: stored.tier }
  }

  /** A full disk is no reason to refuse a key. */
  #noteUse(id: string, now: number): void {
    try {
      this.#markUsed.run(now, id)
    } catch (err) {
      this.#log?.error({ err }, `the last use of the API key ${id} cannot be saved`)
    }
  }

  #find(key: string, now: number): StoredKey | undefined {
    const id = keyPattern.exec(key)?.[1]
    if (id === undefined) return undefined
    if (now >= this.#rememberedUntil || this.#remembered.size >= mostRemembered) {
      this.#remembered.clear()
      this.#rememberedUntil = now + rememberedFor
    }
    const remembered = this.#remembered.get(key)
    if (remembered) return remembered
    const row = this.#lookUp.get(id)
    if (!row) return undefined
    const stored = checkedSchema.parse(row)
    if (!timingSafeEqual(stored.hash, sha256(key))) return undefined
    this.#remembered.set(key, stored)
    return stored
  }
}
