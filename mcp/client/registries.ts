import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import type { Call } from './call.ts'

const funds = successSchema(rows.etfRegistry)
const entities = successSchema(rows.datRegistry)
const exchanges = successSchema(rows.exchanges)
/** More than there are of any. */
const limit = 10_000

/** The funds with issuer, fee and the like. */
export async function readFunds({ rest, signal }: Call) {
  return (await rest.get(requestAddress('/v1/etf/registry', { limit }), funds, signal)).data
}

/** The exchanges with open interest, and from when to when it is known. */
export async function readExchanges({ rest, signal }: Call) {
  return (await rest.get(requestAddress('/v1/oi/exchanges', { limit }), exchanges, signal)).data
}

/** The entities that hold bitcoin, with name, ticker and kind. */
export async function readEntities({ rest, signal }: Call) {
  return (await rest.get(requestAddress('/v1/dat/registry', { limit }), entities, signal)).data
}
