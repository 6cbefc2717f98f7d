import { type VerifiedUnit, verifyFileUnit, verifyRpcUnit } from '#ingest/chain/verify-unit.ts'
import type { ScanUnit } from '../scan/scan-units.ts'
import { orFailure, type WorkerFailure } from '../scan/worker-failure.ts'

export type VerifyOutcome = ({ readonly kind: 'verified' } & VerifiedUnit) | WorkerFailure

/** Entry point of a thread that verifies the blocks of one unit. */
export default function verifyUnit(unit: ScanUnit): Promise<VerifyOutcome> {
  return orFailure(async () => ({
    kind: 'verified' as const,
    ...(unit.kind === 'rpc' ? await verifyRpcUnit(unit) : verifyFileUnit(unit)),
  }))
}
