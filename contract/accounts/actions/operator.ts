import { z } from 'zod'
import { ownMetricBody } from '../bodies.ts'
import { create, rarePost } from './defaults.ts'

const rescanRow = z.strictObject({
  why: z.string(),
  effort: z.string().meta({ description: 'Gigabytes to read, and about how long that takes' }),
})

export const operatorActions = {
  /** For everybody under open access, nobody otherwise. */
  allowRescan: rarePost(
    '/v1/status/rescan',
    'Allow the second scan of all blocks that waits (rescan_waiting), where ACCESS=open',
    rescanRow,
    { allowsOpen: true },
  ),
  /** For whoever sees the operator's wallets. */
  saveMetric: create(
    '/v1/own-metrics',
    'Save a formula as a metric of the operator, which the next update computes',
    z.strictObject({ file: z.string().meta({ description: 'Name in the folder metrics of the data folder' }) }),
    { body: ownMetricBody, allowsOpen: true },
  ),
} as const
