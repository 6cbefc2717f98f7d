import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { recordChange } from './database/account-log.ts'
import { sha256 } from './database/digest.ts'
import { type AccountsDatabase, countRows, insertRow, type Statements, Store } from './database/statements.ts'
import { base32, findStep } from './one-time-codes.ts'
import type { SecretsKey } from './secrets-key.ts'

const recoveryCodeCount = 10
/** 80 bits, enough for a plain hash. */
const recoveryCodeBytes = 10
const secretBytes = 20

const rowSchema = z.object({ account_id: z.int(), secret: z.instanceof(Uint8Array), confirmed_at: z.int().nullable() })

/** Codes of authenticator apps, and recovery codes for a lost app. Each is valid once. */
export class SecondFactors extends Store {
  readonly #key: SecretsKey

  constructor(database: AccountsDatabase, key: SecretsKey) {
    super(database)
    this.#key = key
  }

  /** Creates the key before there are secrets, then checks it. */
  prepareKey(): Promise<void> {
    return this.database.transaction(async (statements) => {
      const known = await statements.get(rowSchema, 'SELECT * FROM one_time_codes LIMIT 1')
      if (known) this.#key.decrypt(known.secret, known.account_id)
      else this.#key.create()
    })
  }

  /** Signing in needs a code. */
  async isOn(accountId: number): Promise<boolean> {
    return (await find(this.database, accountId))?.confirmed_at != null
  }

  /** Returns a new secret, which has no effect before `confirm`; undefined if codes are in use. */
  async begin(accountId: number): Promise<Uint8Array | undefined> {
    await this.prepareKey()
    const secret = randomBytes(secretBytes)
    const changed = await insertRow(
      this.database,
      'one_time_codes',
      { account_id: accountId, secret: this.#key.encrypt(secret, accountId), confirmed_at: null, last_step: 0 },
      `ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, last_step = 0
         WHERE one_time_codes.confirmed_at IS NULL`,
    )
    return changed > 0 ? secret : undefined
  }

  /** Activates the secret and returns recovery codes if the code is right. */
  confirm(accountId: number, code: string, now = Date.now()): Promise<string[] | undefined> {
    return this.database.transaction(async (statements) => {
      const known = await find(statements, accountId)
      if (known?.confirmed_at != null || !(await this.#redeemCode(statements, accountId, code, now))) return undefined
      const sql = 'UPDATE one_time_codes SET confirmed_at = $now WHERE account_id = $accountId'
      await statements.run(sql, { now, accountId })
      await recordChange(statements, accountId, 'one-time codes turned on')
      return renewCodes(statements, accountId)
    })
  }

  /** Uses up a code of the app or a recovery code; returns whether it was valid. */
  async redeem(accountId: number, code: string, now = Date.now()): Promise<boolean> {
    const text = code.replaceAll(/[\s-]/g, '')
    if (/^\d+$/.test(text)) return this.#redeemCode(this.database, accountId, text, now)
    const sql = 'DELETE FROM recovery_codes WHERE account_id = $accountId AND hash = $hash'
    return (await this.database.run(sql, { accountId, hash: sha256(text.toUpperCase()) })) > 0
  }

  renewRecoveryCodes(accountId: number): Promise<string[]> {
    return this.database.transaction(async (statements) => {
      await recordChange(statements, accountId, 'recovery codes replaced')
      return renewCodes(statements, accountId)
    })
  }

  recoveryCodesLeft(accountId: number): Promise<number> {
    return countRows(this.database, 'recovery_codes WHERE account_id = $accountId', { accountId })
  }

  remove(accountId: number): Promise<void> {
    return this.database.transaction(async (statements) => {
      const count = await statements.run('DELETE FROM one_time_codes WHERE account_id = $accountId', { accountId })
      if (count > 0) await recordChange(statements, accountId, 'one-time codes turned off')
      await statements.run('DELETE FROM recovery_codes WHERE account_id = $accountId', { accountId })
    })
  }

  /** A code must be newer than the last one used. */
  async #redeemCode(statements: Statements, accountId: number, code: string, now: number): Promise<boolean> {
    const row = await find(statements, accountId)
    const step = row && findStep(this.#key.decrypt(row.secret, accountId), code, now)
    if (step === undefined) return false
    const taken = await statements.run(
      'UPDATE one_time_codes SET last_step = $step WHERE account_id = $accountId AND last_step < $step',
      { step, accountId },
    )
    return taken > 0
  }
}

function find(statements: Statements, accountId: number) {
  const sql = 'SELECT * FROM one_time_codes WHERE account_id = $accountId'
  return statements.get(rowSchema, sql, { accountId })
}

async function renewCodes(statements: Statements, accountId: number): Promise<string[]> {
  await statements.run('DELETE FROM recovery_codes WHERE account_id = $accountId', { accountId })
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(recoveryCodeBytes)))
  for (const code of codes) await insertRow(statements, 'recovery_codes', { account_id: accountId, hash: sha256(code) })
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'))
}
