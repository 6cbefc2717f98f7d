import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { sha256 } from './digest.ts'
import { base32, stepOfCode } from './one-time-codes.ts'

const recoveryCodeCount = 10
/** 80 bits, so that a plain hash keeps them safe. */
const recoveryCodeBytes = 10
const secretBytes = 20

const rowSchema = z.object({
  secret: z.instanceof(Uint8Array),
  confirmed_at: z.int().nullable(),
})

/** One-time codes of authenticator apps, and the recovery codes for who has lost the app. Each holds once. */
export class SecondFactors {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Whether signing in to the account needs a code. */
  isOn(accountId: number): boolean {
    return this.#find(accountId)?.confirmed_at != null
  }

  /** A new secret, which nothing depends on before `confirm`; undefined where codes are in use already. */
  begin(accountId: number): Uint8Array | undefined {
    const secret = randomBytes(secretBytes)
    const { changes } = this.#database
      .prepare(
        `INSERT INTO one_time_codes (account_id, secret, confirmed_at, last_step) VALUES (?, ?, NULL, 0)
         ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, last_step = 0 WHERE confirmed_at IS NULL`,
      )
      .run(accountId, secret)
    return changes > 0 ? secret : undefined
  }

  /** Takes the secret into use where its owner can make codes of it; returns recovery codes, or undefined. */
  confirm(accountId: number, code: string, now = Date.now()): string[] | undefined {
    if (this.isOn(accountId) || !this.#takeCode(accountId, code, now)) return undefined
    this.#database.prepare('UPDATE one_time_codes SET confirmed_at = ? WHERE account_id = ?').run(now, accountId)
    return this.renewRecoveryCodes(accountId)
  }

  /** Whether a code of the app or a recovery code holds; then it never does again. */
  take(accountId: number, code: string, now = Date.now()): boolean {
    const text = code.replaceAll(/[\s-]/g, '')
    if (/^\d+$/.test(text)) return this.#takeCode(accountId, text, now)
    return (
      this.#database
        .prepare('DELETE FROM recovery_codes WHERE account_id = ? AND hash = ?')
        .run(accountId, sha256(text.toUpperCase())).changes > 0
    )
  }

  /** New recovery codes, in place of all older ones. */
  renewRecoveryCodes(accountId: number): string[] {
    this.#database.prepare('DELETE FROM recovery_codes WHERE account_id = ?').run(accountId)
    const insert = this.#database.prepare('INSERT INTO recovery_codes (account_id, hash) VALUES (?, ?)')
    return Array.from({ length: recoveryCodeCount }, () => {
      const code = base32(randomBytes(recoveryCodeBytes))
      insert.run(accountId, sha256(code))
      return code.replaceAll(/(.{4})(?=.)/g, '$1-')
    })
  }

  recoveryCodesLeft(accountId: number): number {
    const row = this.#database
      .prepare('SELECT count(*) AS count FROM recovery_codes WHERE account_id = ?')
      .get(accountId)
    return z.object({ count: z.int() }).parse(row).count
  }

  remove(accountId: number): void {
    this.#database.prepare('DELETE FROM one_time_codes WHERE account_id = ?').run(accountId)
    this.#database.prepare('DELETE FROM recovery_codes WHERE account_id = ?').run(accountId)
  }

  /** A code holds only after the one that was used last. */
  #takeCode(accountId: number, code: string, now: number): boolean {
    const secret = this.#find(accountId)?.secret
    const step = secret && stepOfCode(secret, code, now)
    if (step === undefined) return false
    return (
      this.#database
        .prepare('UPDATE one_time_codes SET last_step = $step WHERE account_id = $account AND last_step < $step')
        .run({ step, account: accountId }).changes > 0
    )
  }

  #find(accountId: number): z.infer<typeof rowSchema> | undefined {
    const row = this.#database
      .prepare('SELECT secret, confirmed_at FROM one_time_codes WHERE account_id = ?')
      .get(accountId)
    return row && rowSchema.parse(row)
  }
}
