import type { z } from 'zod'
import { type Path, type Query, requestAddress } from '#clients/typescript/address.ts'
import { rows } from '#contract/rows.ts'
import type { Access } from './rest.ts'

export async function readRows<P extends Path, Row extends z.ZodType>(
  { rest, signal, noteMeta }: Access,
  path: P,
  query: Query<P>,
  row: Row,
) {
  const answer = await rest.rows(requestAddress(path, query), row, signal)
  noteMeta?.(answer.meta)
  return answer
}

/** More than any list has. */
const limit = 10_000

export const readFunds = async (access: Access) =>
  (await readRows(access, '/v1/etf/registry', { limit }, rows.etfRegistry)).data

export const readEntities = async (access: Access) =>
  (await readRows(access, '/v1/dat/registry', { limit }, rows.datRegistry)).data
