import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

const file = path.join(import.meta.dirname, '../data/reference/common-passwords.txt.gz')
let commonPasswords: ReadonlySet<string> | undefined

/** Returns for the user why a password is easy to guess, or undefined. */
export function findWeakness(password: string, email: string): string | undefined {
  commonPasswords ??= new Set(gunzipSync(readFileSync(file)).toString('utf8').split('\n'))
  const text = password.normalize('NFKC').toLowerCase()
  if (commonPasswords.has(text)) return 'is one of the most common passwords: choose one that nobody else has'
  const address = email.trim().toLowerCase()
  if (text === address || text === address.split('@')[0]) return 'is the e-mail address: choose another one'
  if (new Set(text).size < 4) return 'has fewer than four different characters: use more'
  return undefined
}
