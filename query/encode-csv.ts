import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { quotedString } from '#sql/quote.ts'
import type { Database } from './database.ts'

/**
 * Writes rows as CSV to a file in the database's temporary folder, which the caller removes: NULL is
 * empty, an empty text `""`, and DOUBLE has the digits that give the same number again.
 */
export async function writeCsv(database: Database, sql: string): Promise<string> {
  const file = path.join(database.temporaryFolder, `table_${randomUUID()}.csv`)
  try {
    await database.use((connection) => connection.run(`COPY (${sql}) TO ${quotedString(file)} (FORMAT csv, HEADER)`))
    return file
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}
