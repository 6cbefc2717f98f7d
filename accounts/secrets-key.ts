import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'

const [algorithm, keyBytes, nonceBytes, tagBytes] = ['aes-256-gcm', 32, 12, 16] as const
const tagged = { authTagLength: tagBytes }

export type SecretsKey = ReturnType<typeof openSecretsKey>

/**
 * Encrypts secrets with SECRETS_KEY or `state/secrets.key`, which the database and backups do not
 * contain. A secret becomes nonce, encrypted bytes and tag, for its account only; account 0 is that
 * of links in mails of alerts. Only one process at a time may `create` the file.
 */
export function openSecretsKey(dataDir: string, setting: string | undefined) {
  const file = path.join(dataDir, 'state', 'secrets.key')
  const withKey = (work: (key: Buffer) => Uint8Array): Uint8Array => {
    try {
      return work(Buffer.from(setting ?? readFileSync(file, 'utf8'), 'base64'))
    } catch (cause) {
      const cure = 'set SECRETS_KEY or put state/secrets.key back; recovery codes and passkeys work without it'
      throw new CoinstrataError('secrets_key_wrong', 'one-time codes cannot be checked with this key', { cause, cure })
    }
  }
  return {
    create(): void {
      if (setting !== undefined || existsSync(file)) return
      writeFileSync(file, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    },
    encrypt: (secret: Uint8Array, accountId: number) =>
      withKey((key) => {
        const nonce = randomBytes(nonceBytes)
        const cipher = createCipheriv(algorithm, key, nonce, tagged).setAAD(Buffer.from(`${accountId}`))
        return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
      }),
    decrypt: (bytes: Uint8Array, accountId: number) =>
      withKey((key) => {
        const cipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), tagged)
        cipher.setAAD(Buffer.from(`${accountId}`)).setAuthTag(bytes.subarray(-tagBytes))
        return Buffer.concat([cipher.update(bytes.subarray(nonceBytes, -tagBytes)), cipher.final()])
      }),
  }
}
