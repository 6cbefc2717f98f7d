import { opcodes, script } from 'bitcoinjs-lib'
import { noHash } from '../chain/merkle.ts'
import { networks, subsidySats } from '../chain/networks.ts'
import { type BuiltBlock, blockBody, buildBlock } from './block.ts'
import { genesisTime } from './calendar.ts'
import { encodeCoinbase } from './coinbase.ts'

const message = 'Coinstrata simulated chain. Nothing here is real bitcoin.'
/** Generator point of secp256k1: its private key is 1. */
const publicKey =
  '0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'

/** Independent of the seed. */
export function simulatedGenesis(): BuiltBlock {
  const output = {
    script: script.compile([Buffer.from(publicKey, 'hex'), opcodes.OP_CHECKSIG]),
    sats: subsidySats(networks.simulated, 0),
  }
  const coinbase = encodeCoinbase(script.compile([Buffer.from(message)]), [], [output])
  return buildBlock({ version: 1, previousHash: noHash, time: genesisTime, coinbase, body: blockBody([]) })
}
