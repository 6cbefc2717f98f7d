import { kinds, sizes } from '#contract/kinds.ts'
import { carrySats, type DecodedBlock } from '#ingest/chain/decoded-block.ts'
import type { Unspent } from './replay.ts'

/** Names as `kindName` makes them, by number of kind. */
const names = kinds.map(({ mined, scriptType, size }) => `${mined},${scriptType},${sizes[size]}`)

/** The created outputs of a block by name of kind. */
export const createdIn = ({ createdSats, createdCarries, createdOutputs }: DecodedBlock): Map<string, Unspent> =>
  new Map(
    [...createdOutputs.entries()]
      .filter(([, outputs]) => outputs > 0)
      .map(([kind, outputs]) => [
        names[kind]!,
        { sats: createdSats[kind]! + carrySats * createdCarries[kind]!, outputs },
      ]),
  )

/** The kind of each spent output of a block. */
export const spentKindsIn = ({ spentKinds, spentCount }: DecodedBlock): readonly string[] =>
  Array.from(spentKinds.subarray(0, spentCount), (kind) => names[kind]!)
