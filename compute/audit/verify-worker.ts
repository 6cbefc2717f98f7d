import { RpcClient } from '#ingest/chain/rpc.ts'
import { fetchRawBlock } from '#ingest/chain/rpc-block.ts'
import type { RpcEndpoint } from '#ingest/chain/rpc-endpoint.ts'
import { verifyFileUnit, verifyRpcUnit } from '#ingest/chain/verify-unit.ts'
import type { ScanTask } from '../scan/scan-task.ts'
import { answer } from '../threads.ts'

export interface VerifyTask {
  readonly unit: ScanTask['unit']
  readonly referee: RpcEndpoint | undefined
}

export default function verifyUnit({ unit, referee }: VerifyTask): Promise<unknown> {
  const refetch = referee && ((hash: string) => fetchRawBlock(new RpcClient(referee), hash))
  return answer(() => (unit.kind === 'rpc' ? verifyRpcUnit(unit) : verifyFileUnit(unit, refetch)))
}
