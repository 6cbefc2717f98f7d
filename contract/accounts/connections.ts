import { z } from 'zod'
import { accountTiers } from '../tiers.ts'

const time = z.iso.datetime()
const textOrNull = (description: string) => z.string().nullable().meta({ description })

/** The authorization URL opened in the browser. */
export const connectionBody = z.strictObject({
  query: z
    .string({ error: 'must be a text' })
    .max(8_000, 'must have at most 8000 characters')
    .meta({ example: 'response_type=code&client_id=cl_0123456789abcdef0123456789abcdef' }),
})

export const connectionRequestRow = z
  .strictObject({
    client_name: z.string().meta({ description: 'What the app calls itself; nobody has checked it' }),
    client_host: textOrNull('The host that vouches for the app, by a document that it serves; null for none'),
    redirect_host: z
      .string()
      .meta({ description: 'Address that the browser opens with the answer; a scheme for apps of the device' }),
    is_on_this_device: z.boolean().meta({ description: 'The browser goes to a program on the device of the reader' }),
    tier: z
      .enum(accountTiers)
      .nullable()
      .meta({ description: 'What the app would see; null where it can see nothing' }),
    problem: textOrNull('Why the app cannot be connected as it asks to be'),
    refusal_url: z.string().meta({ description: 'Address that the browser opens if the app is not connected' }),
  })
  .meta({ id: 'ConnectionRequest' })

export const newConnectionRow = z.strictObject({
  redirect_url: z
    .string()
    .meta({ description: 'Address to open in the browser, with a code for the app that is valid for a minute' }),
})

export const connectionRow = z
  .strictObject({
    id: z.string(),
    client_name: z.string().meta({ description: 'What the app calls itself' }),
    client_id: z.string(),
    redirect_host: z.string(),
    tier: z.enum(accountTiers),
    created_at: time,
    last_used_at: time.nullable().meta({ description: 'To the minute' }),
    expires_at: time.meta({ description: 'Time at which the access ends, unless the app is used before' }),
  })
  .meta({ id: 'Connection' })
