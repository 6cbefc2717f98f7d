import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { sha256 } from './database/digest.ts'
import { type AccountsDatabase, countSchema, type Statements } from './database/statements.ts'
import { base32, findStep } from './one-time-codes.ts'

const recoveryCodeCount = 10
/** 80 bits, so that a plain hash keeps them safe. */
const recoveryCodeBytes = 10
const secretBytes = 20

const rowSchema = z
  .object({
    secret: z.instanceof(Uint8Array),
    confirmed_at: z.int().nullable(),
  })
  .optional()

/** One-time codes of authenticator apps, and the recovery codes for who has lost the app. Each holds once. */
export class SecondFactors {
  readonly #database: AccountsDatabase

  constructor(database: AccountsDatabase) {
    this.#database = database
  }

  /** Whether signing in to the account needs a code. */
  async isOn(accountId: number): Promise<boolean> {
    return (await find(this.#database, accountId))?.confirmed_at != null
  }

  /** A new secret, which nothing depends on before `confirm`; undefined where codes are in use already. */
  async begin(accountId: number): Promise<Uint8Array | undefined> {
    const secret = randomBytes(secretBytes)
    const changed = await this.#database.run(
      `INSERT INTO one_time_codes (account_id, secret, confirmed_at, last_step) VALUES ($accountId, $secret, NULL, 0)
       ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, last_step = 0
         WHERE one_time_codes.confirmed_at IS NULL`,
      { accountId, secret },
    )
    return changed > 0 ? secret : undefined
  }

  /** Takes the secret into use where its owner can make codes of it; returns recovery codes, or undefined. */
  confirm(accountId: number, code: string, now = Date.now()): Promise<string[] | undefined> {
    return this.#database.transaction(async (statements) => {
      const known = await find(statements, accountId)
      if (known?.confirmed_at != null || !(await redeemCode(statements, accountId, code, now))) return undefined
      await statements.run('UPDATE one_time_codes SET confirmed_at = $now WHERE account_id = $accountId', {
        now,
        accountId,
      })
      return renewCodes(statements, accountId)
    })
  }

  /** Whether a code of the app or a recovery code holds; then it never does again. */
  async redeem(accountId: number, code: string, now = Date.now()): Promise<boolean> {
    const text = code.replaceAll(/[\s-]/g, '')
    if (/^\d+$/.test(text)) return redeemCode(this.#database, accountId, text, now)
    const taken = await this.#database.run(
      'DELETE FROM recovery_codes WHERE account_id = $accountId AND hash = $hash',
      {
        accountId,
        hash: sha256(text.toUpperCase()),
      },
    )
    return taken > 0
  }

  /** New recovery codes, in place of all older ones. */
  renewRecoveryCodes(accountId: number): Promise<string[]> {
    return this.#database.transaction((statements) => renewCodes(statements, accountId))
  }

  async recoveryCodesLeft(accountId: number): Promise<number> {
    const row = await this.#database.get('SELECT count(*) AS count FROM recovery_codes WHERE account_id = $accountId', {
      accountId,
    })
    return countSchema.parse(row).count
  }

  remove(accountId: number): Promise<void> {
    return this.#database.transaction(async (statements) => {
      await statements.run('DELETE FROM one_time_codes WHERE account_id = $accountId', { accountId })
      await statements.run('DELETE FROM recovery_codes WHERE account_id = $accountId', { accountId })
    })
  }
}

async function find(statements: Statements, accountId: number): Promise<z.infer<typeof rowSchema>> {
  return rowSchema.parse(
    await statements.get('SELECT secret, confirmed_at FROM one_time_codes WHERE account_id = $accountId', {
      accountId,
    }),
  )
}

/** A code holds only after the one that was used last. */
async function redeemCode(statements: Statements, accountId: number, code: string, now: number): Promise<boolean> {
  const secret = (await find(statements, accountId))?.secret
  const step = secret && findStep(secret, code, now)
  if (step === undefined) return false
  const taken = await statements.run(
    'UPDATE one_time_codes SET last_step = $step WHERE account_id = $accountId AND last_step < $step',
    { step, accountId },
  )
  return taken > 0
}

async function renewCodes(statements: Statements, accountId: number): Promise<string[]> {
  await statements.run('DELETE FROM recovery_codes WHERE account_id = $accountId', { accountId })
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(recoveryCodeBytes)))
  for (const code of codes) {
    await statements.run('INSERT INTO recovery_codes (account_id, hash) VALUES ($accountId, $hash)', {
      accountId,
      hash: sha256(code),
    })
  }
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'))
}
