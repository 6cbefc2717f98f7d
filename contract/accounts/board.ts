import { z } from 'zod'
import { textUpTo } from '../field-schemas.ts'

const pinned = z.strictObject({
  title: textUpTo(200),
  address: textUpTo(2_000)
    .regex(/^\/(?![/\\])[\x21-\x7e]*$/, 'must be an address of this service that begins with one slash')
    .meta({ example: '/metrics/mvrv' }),
})
const boardFields = {
  title: textUpTo(200),
  charts: z.array(pinned, { error: 'must be a list' }).max(50, 'must have at most 50 entries'),
}
export const boardBody = z.strictObject(boardFields)
/** Addresses are relative to this service. */
export type BoardContent = z.output<typeof boardBody>
export const boardRow = z.strictObject({
  ...boardFields,
  share: z
    .string()
    .nullable()
    .meta({ description: 'Share link: everyone who has it sees the board at /v1/boards/{share}' }),
})
