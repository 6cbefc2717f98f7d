import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import { DuckDBDateValue } from '@duckdb/node-api'
import { encodePublicKey } from '#base/signing-keys.ts'
import { formatSigned, type Proof, proofFormat } from '#contract/proof.ts'
import { type TableName, tables } from '#contract/tables/tables.ts'
import { bindInputs, type Relation } from '#sql/relation.ts'
import { readStatement } from '#sql/statement.ts'
import { readValue } from '../read-value.ts'
import type { NewDays } from './closed-days.ts'
import type { Draft } from './draft.ts'

/** Average number of flows to sort in memory at a time; late days have twice as many. */
const flowsPerStep = 70_000

/** Writes `day_hashes` from `flows`, `blocks`, `days`, `prices` and `cohorts`. */
export async function writeDayHashes(
  draft: Draft,
  newDays: NewDays,
  from: readonly Relation<TableName>[],
): Promise<Relation<'day_hashes'>> {
  const { connection } = draft
  const { closed, after } = newDays
  const statement = readStatement('day-hashes')
  const daysPerStep = Math.ceil((closed.count * flowsPerStep) / Math.max(1, draft.tables.flows?.rows ?? 0))
  draft.part(tables.day_hashes.name)
  for (let day = after; day < closed.last; day += daysPerStep) {
    const last = Math.min(day + daysPerStep, closed.last)
    const values = { after_day: new DuckDBDateValue(day), last_day: new DuckDBDateValue(last) }
    const into = day === after ? 'CREATE OR REPLACE TEMP TABLE new_day_hashes AS' : 'INSERT INTO new_day_hashes'
    await connection.run(`${into} ${bindInputs(statement, { from, values })}`)
  }
  const written = await draft.grow(tables.day_hashes, newDays, 'FROM new_day_hashes')
  await connection.run('DROP TABLE new_day_hashes')
  return written
}

/** Describes the list of all hashes, and signs it with a key if given. */
export async function createProof(
  { connection }: Draft,
  hashes: Relation<'day_hashes'>,
  network: string,
  key: KeyObject | undefined,
): Promise<Proof> {
  const sha256 = await readValue(
    connection,
    `SELECT sha256(string_agg(concat(date, ',', flows, ',', blocks, ',', days, ',', prices, ',', metrics, chr(10)), '' ORDER BY date))
     FROM ${hashes.from}`,
  )
  const proof = { format: proofFormat, network, sha256: String(sha256) }
  if (!key) return { ...proof, signature: null }
  return {
    ...proof,
    signature: {
      public_key: encodePublicKey(createPublicKey(key)).toString('base64'),
      value: sign(null, Buffer.from(formatSigned(proof)), key).toString('base64'),
    },
  }
}
