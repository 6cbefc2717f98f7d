import { Block } from 'bitcoinjs-lib'
import { expect, it } from 'vitest'
import { kinds } from '#contract/kinds.ts'
import { decodeBlock } from '#ingest/chain/block.ts'
import { ByteReader } from '#ingest/chain/bytes.ts'
import { DecodedBlock } from '#ingest/chain/decoded-block.ts'
import { decodeUndo } from '#ingest/chain/undo.ts'
import { hasModernBlocks, modernBlock } from '#test/support/sample-blocks.ts'
import { bitcoind, nameScripts } from './core-script-types.ts'

it.skipIf(!bitcoind || !hasModernBlocks).each([367_891, 866_342])(
  'types of mainnet block %d are those that Bitcoin Core names',
  async (height) => {
    const { bytes, undo, spent } = modernBlock(height)
    const transactions = Block.fromBuffer(Buffer.from(bytes)).transactions ?? []
    const block = new DecodedBlock()
    decodeBlock(new ByteReader(bytes), block)
    decodeUndo(new ByteReader(undo), block)
    const hexOf = (script: Uint8Array): string => Buffer.from(script).toString('hex')
    const created = transactions.flatMap(({ outs }) => outs.map(({ script }) => hexOf(script)))
    const inputs = spent.flat().map(({ script }) => hexOf(script))
    const types = await nameScripts([...created, ...inputs])
    const counted = new Map<string, number>()
    for (const script of created) counted.set(types.get(script)!, (counted.get(types.get(script)!) ?? 0) + 1)
    const found = new Map<string, number>()
    for (const { kind, scriptType } of kinds) {
      const outputs = block.createdOutputs[kind]!
      if (outputs > 0) found.set(scriptType, (found.get(scriptType) ?? 0) + outputs)
    }
    expect(found).toEqual(counted)
    expect(Array.from(block.spentKinds.subarray(0, block.spentCount), (kind) => kinds[kind]!.scriptType)).toEqual(
      inputs.map((script) => types.get(script)),
    )
  },
)
