import { z } from 'zod'

/** Raised when other bytes are hashed. */
export const proofFormat = 1

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ example: '8d1b6f31c2f0b1a7c9e2a4f5d3b86070e1f2a3b4c5d6e7f8091a2b3c4d5e6f70' })

/** About `day_hashes`. */
export const proofSchema = z
  .object({
    format: z.int().meta({ description: 'Which bytes are hashed: only hashes of the same format can be compared' }),
    network: z.string().regex(/^[\w-]{1,40}$/),
    sha256: sha256.meta({ description: 'SHA-256 of the list of all days' }),
    signature: z
      .object({
        public_key: z.base64().meta({ description: 'Ed25519 key, SubjectPublicKeyInfo in DER' }),
        value: z.base64().meta({ description: 'Ed25519 signature of format, network and sha256' }),
      })
      .nullable()
      .meta({ description: 'null if the operator does not sign' }),
  })
  .meta({ description: 'Of /v1/proof: what the list of hashes is, and who signed it' })

export type Proof = z.infer<typeof proofSchema>

/** A row of `day_hashes` and of /v1/proof. */
export const dayHashesSchema = z.object({
  date: z.iso.date().meta({ description: 'Day, UTC' }),
  flows: sha256.meta({ description: 'Of the rows of flows: equal for all operators of a chain' }),
  blocks: sha256.meta({ description: 'Of the rows of blocks: equal for all operators of a chain' }),
  days: sha256.meta({ description: 'Of the row of days: equal for all operators of a chain' }),
  prices: sha256.nullable().meta({ description: 'Of the close, which depends on sources; null without a price' }),
  metrics: sha256.nullable().meta({ description: 'Of metrics that depend on prices; null without a price' }),
})

export type DayHashes = z.infer<typeof dayHashesSchema>

/** Hashed bytes: a line for each day, NULL as nothing. */
export const formatHashList = (days: readonly DayHashes[]): string =>
  days
    .map(
      ({ date, flows, blocks, days, prices, metrics }) =>
        `${[date, flows, blocks, days, prices ?? '', metrics ?? ''].join(',')}\n`,
    )
    .join('')

/** Text that operators sign. */
export const formatSigned = ({ format, network, sha256 }: Omit<Proof, 'signature'>): string =>
  `coinstrata-proof ${format}\n${network}\n${sha256}\n`
