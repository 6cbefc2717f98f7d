import { CoinstrataError } from '#base/errors.ts'
import type { ScriptType } from '#contract/kinds.ts'

/** Hashes are in display order. */
export interface Network {
  readonly name: NetworkName
  /** Magic bytes before every record of a block or undo file, as a little-endian integer. */
  readonly magic: number
  readonly genesisHash: string
  /** Compact target of the lowest difficulty (`powLimit`). */
  readonly easiestBits: number
  readonly halvingInterval: number
  readonly initialSubsidySats: number
  /** Subfolder of the node's data directory; empty for mainnet. */
  readonly datadirFolder: string
  readonly rpcPort: number
  /**
   * Coinbases overwritten by a later one with the same txid, before BIP30. Their outputs leave the
   * supply at the later block (Bitcoin Core, `IsBIP30Unspendable`).
   */
  readonly overwrittenCoinbases: readonly OverwrittenCoinbase[]
  /** First block that another chain with the same genesis lacks. */
  readonly split?: ChainSplit
}

export interface ChainSplit {
  readonly height: number
  readonly hash: string
  readonly other: { readonly hash: string; readonly name: string }
}

export interface OverwrittenCoinbase {
  readonly height: number
  readonly hash: string
  readonly overwrittenByHeight: number
  readonly overwrittenByHash: string
  readonly sats: number
  readonly outputs: number
  readonly scriptType: ScriptType
}

export const networkNames = ['mainnet', 'testnet3', 'testnet4', 'signet', 'regtest', 'simulated'] as const
export type NetworkName = (typeof networkNames)[number]

const initialSubsidySats = 50_0000_0000

const publicNetwork = { halvingInterval: 210_000, initialSubsidySats, overwrittenCoinbases: [] }

export const networks: Readonly<Record<NetworkName, Network>> = {
  mainnet: {
    ...publicNetwork,
    name: 'mainnet',
    magic: 0xd9b4bef9,
    genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    easiestBits: 0x1d00ffff,
    datadirFolder: '',
    rpcPort: 8332,
    overwrittenCoinbases: [
      {
        height: 91_722,
        hash: '00000000000271a2dc26e7667f8419f2e15416dc6955e5a6c6cdf3f2574dd08e',
        overwrittenByHeight: 91_880,
        overwrittenByHash: '00000000000743f190a18c5577a3c2d2a1f610ae9601ac046a38084ccb7cd721',
        sats: 50_0000_0000,
        outputs: 1,
        scriptType: 'p2pk',
      },
      {
        height: 91_812,
        hash: '00000000000af0aed4792b1acee3d966af36cf5def14935db8de83d6f9306f2f',
        overwrittenByHeight: 91_842,
        overwrittenByHash: '00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec',
        sats: 50_0000_0000,
        outputs: 1,
        scriptType: 'p2pk',
      },
    ],
    // Since 2026-08-08, nodes that enforce BIP 110 refuse the block of all others, which does not
    // signal for it.
    split: {
      height: 961_632,
      hash: '00000000000000000000d1e01392faa65ceeaed307f0a3159144b84146ff24ba',
      other: { hash: '0000000000000000000169eb6f811ddbd0daf343af7b62180cdb13e7c78dbc16', name: 'the chain of BIP 110' },
    },
  },
  testnet3: {
    ...publicNetwork,
    name: 'testnet3',
    magic: 0x0709110b,
    genesisHash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
    easiestBits: 0x1d00ffff,
    datadirFolder: 'testnet3',
    rpcPort: 18332,
  },
  testnet4: {
    ...publicNetwork,
    name: 'testnet4',
    magic: 0x283f161c,
    genesisHash: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
    easiestBits: 0x1d00ffff,
    datadirFolder: 'testnet4',
    rpcPort: 48332,
  },
  /**
   * Public signet. A custom signet has the same genesis, but a magic derived from its challenge.
   */
  signet: {
    ...publicNetwork,
    name: 'signet',
    magic: 0x40cf030a,
    genesisHash: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
    easiestBits: 0x1e0377ae,
    datadirFolder: 'signet',
    rpcPort: 38332,
  },
  regtest: {
    ...publicNetwork,
    name: 'regtest',
    magic: 0xdab5bffa,
    genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    easiestBits: 0x207fffff,
    halvingInterval: 150,
    datadirFolder: 'regtest',
    rpcPort: 18443,
  },
  /**
   * The chain of `ingest/simulated`: fewer, larger blocks with mainnet's supply curve and halving
   * days.
   */
  simulated: {
    ...publicNetwork,
    name: 'simulated',
    magic: 0x4d495343,
    genesisHash: '58cbc4c513fc08901833398fd3de6153fe27e13fa61627df55109bca4817527b',
    easiestBits: 0x207fffff,
    halvingInterval: 4_200,
    initialSubsidySats: 50 * initialSubsidySats,
    datadirFolder: '',
    rpcPort: 0,
  },
}

/** Fails unless `hash` is the network's block at the height of the split. */
export function refuseOtherChain({ name, split }: Network, hash: string): void {
  if (!split || hash === split.hash) return
  const other = hash === split.other.hash ? split.other.name : 'an unknown chain'
  const message = `the node follows ${other}, not ${name}: its block ${split.height} is ${hash}, that of ${name} is ${split.hash}`
  throw new CoinstrataError('wrong_chain', message, {
    cure:
      `use a node that follows ${name}, such as Bitcoin Core; a node that enforced other rules before also needs ` +
      `"bitcoin-cli reconsiderblock ${split.hash}"`,
  })
}

export function subsidySats(network: Network, height: number): number {
  const halvings = Math.floor(height / network.halvingInterval)
  return halvings >= 64 ? 0 : Math.floor(network.initialSubsidySats / 2 ** halvings)
}
