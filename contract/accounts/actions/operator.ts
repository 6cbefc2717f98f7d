import { z } from 'zod'
import { rarePost } from './defaults.ts'

const rescanRow = z.strictObject({
  why: z.string(),
  effort: z.string().meta({ description: 'Gigabytes to read, and about how long that takes' }),
})

/** For the operator: everybody under open access, nobody otherwise. */
export const operatorActions = {
  allowRescan: rarePost(
    '/v1/status/rescan',
    'Allow the second scan of all blocks that waits (rescan_waiting), where ACCESS=open',
    rescanRow,
    { allowsOpen: true },
  ),
} as const
