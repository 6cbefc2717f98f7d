import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import type { Call } from './call.ts'

const funds = successSchema(rows.etfRegistry)
const entities = successSchema(rows.datRegistry)
/** More than any list has. */
const limit = 10_000

export const readFunds = async ({ rest, signal }: Call) =>
  (await rest.get(requestAddress('/v1/etf/registry', { limit }), funds, signal)).data

export const readEntities = async ({ rest, signal }: Call) =>
  (await rest.get(requestAddress('/v1/dat/registry', { limit }), entities, signal)).data
