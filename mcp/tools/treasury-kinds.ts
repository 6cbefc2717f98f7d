import { z } from 'zod'
import { requestAddress } from '#clients/typescript/address.ts'
import { successSchema } from '#contract/envelope.ts'
import { rows } from '#contract/rows.ts'
import { significant, significantOrNull } from '../answers/rounding.ts'
import type { Call } from '../client/call.ts'

const stats = successSchema(rows.datStats)
const amounts = {
  entities: z.number(),
  btc: z.number().nullable(),
  usd: z.number().nullable(),
  change_30d_btc: z.number().nullable(),
  percent_of_supply: z.number().nullable(),
}

/** Holdings by kind of treasury on the newest day. Coins that two entities report count once. */
export const treasuryKindsSchema = z.object({
  date: z.string().nullable(),
  total_btc: z.number(),
  kinds: z.array(z.object({ type: z.string(), ...amounts, largest: z.string().nullable() })),
})

export async function readTreasuryKinds({ rest, signal }: Call): Promise<z.infer<typeof treasuryKindsSchema>> {
  const { data } = await rest.get(requestAddress('/v1/dat/stats', { limit: 100 }), stats, signal)
  return {
    date: data[0]?.date ?? null,
    total_btc: significant(data.reduce((sum, { btc_amount }) => sum + (btc_amount ?? 0), 0)),
    kinds: data.map((row) => ({
      type: row.type,
      entities: row.entities,
      btc: significantOrNull(row.btc_amount),
      usd: significantOrNull(row.total_current_value_usd),
      change_30d_btc: significantOrNull(row.net_flow_btc_30d),
      percent_of_supply: significantOrNull(row.percentage_of_total_supply),
      largest: row.largest_entity,
    })),
  }
}
