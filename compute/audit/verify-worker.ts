import { RpcClient } from '#ingest/chain/rpc.ts'
import { fetchRawBlock } from '#ingest/chain/rpc-block.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { type VerifiedUnit, verifyFileUnit, verifyRpcUnit } from '#ingest/chain/verify-unit.ts'
import type { ScanUnit } from '../scan/scan-unit.ts'
import { catchFailure, type WorkerFailure } from '../worker-failure.ts'

export interface VerifyTask {
  readonly unit: ScanUnit
  readonly referee: RpcEndpoint | undefined
}

export type VerifyOutcome = ({ readonly kind: 'verified' } & VerifiedUnit) | WorkerFailure

export default function verifyUnit({ unit, referee }: VerifyTask): Promise<VerifyOutcome> {
  const refetch = referee && ((hash: string) => fetchRawBlock(new RpcClient(referee), hash))
  return catchFailure(async () => ({
    kind: 'verified' as const,
    ...(unit.kind === 'rpc' ? await verifyRpcUnit(unit) : await verifyFileUnit(unit, refetch)),
  }))
}
