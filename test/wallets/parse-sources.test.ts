import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CoinstrataError } from '#base/errors.ts'
import type { NetworkName } from '#ingest/chain/networks.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { parseSources } from '#wallets/parse-sources.ts'
import type { WalletDescriptor } from '#wallets/wallet-folder.ts'
import { checkDescriptors, ifAccepted, WalletNode } from '#wallets/wallet-node.ts'

/** Accounts of the test vectors of BIP 84 and BIP 49, and one of each kind for a multisig. */
const zpub =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
const upub =
  'upub5EFU65HtV5TeiSHmZZm7FUffBGy8UKeqp7vw43jYbvZPpoVsgU93oac7Wk3u6moKegAEWtGNF8DehrnHtv21XXEMYRUocHqguyjknFHYfgY'
const firstOfZpub = 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'
const changeOfZpub = 'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el'
const firstOfUpub = '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2'
const genesisKey =
  '04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f'

const read = (text: string, network: NetworkName = 'mainnet') => parseSources([{ name: 'the text', text }], network)
const textsOf = (text: string, network?: NetworkName): string[] =>
  read(text, network).descriptors.map((each) => each.text)

function refusal(work: () => unknown): CoinstrataError {
  try {
    work()
  } catch (error) {
    if (error instanceof CoinstrataError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('anything private is refused, and never quoted', () => {
  const words = 'abandon ability able about above absent absorb abstract absurd abuse access accident'
  const secrets = {
    xprv: 'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
    'xprv after letters':
      'keyxprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
    'xprv in a descriptor':
      'wpkh([73c5da0a/84h/0h/0h]xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi/0/*)',
    zprv: 'zprvAWgYBBk7JR8Gjrh4UJQ2uJdG1r3WNRRfURiABBE3RvMXYSrRJL62XuezvGdPvG6GFBZduosCc1YP5wixPox7zhZLfiUm8aunE96BBa4Kei5',
    WIF: 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn',
    'uncompressed WIF': '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ',
    'WIF of a test network': 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA',
    'WIF in a descriptor': 'pkh(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)',
    BIP38: '6PRVWUbkzzsbcVac2qwfssoUJAN1Xhrg6bNk8J7Nzm5H7kxEbn2Nh2ZoGg',
    words,
    'words in upper case': words.toUpperCase(),
    'words by line': words.replaceAll(' ', '\n'),
    'numbered words': words
      .split(' ')
      .map((word, i) => `${i + 1}. ${word}`)
      .join('\n'),
    'words in JSON': JSON.stringify({ backup: words.split(' ') }),
    'words with accents':
      'académie éclairer éclater écrire écurie élégant élève émission énergie enlever épaule érosion',
    'words with accents of their own':
      'ábaco ábside ácido ácaro ágil águila álbum ángel ánimo árbol área áspero'.normalize('NFD'),
    'Japanese words':
      'あいこくしん　あいさつ　あいだ　あおぞら　あかちゃん　あきる　あけがた　あける　あこがれる　あさい　あさひ　あしあと',
    'Korean words': '가격 가끔 가난 가능 가득 가르침 가뭄 가방 가상 가슴 가운데 가을',
    'Chinese words': '的 一 是 在 不 了 有 和 人 这 中 大',
    'Italian words':
      'avvolgere brillante cartolina cellulare centesimo cittadino abaco abete abisso abolire accenno acetone',
    'words with dashes': words.replaceAll(' ', '-'),
    'words in digits': '192402220235174306311124037817700641198012901210',
    'mini key': 'S6c56bnXQiYjk9mqSYE7ykVQ7NzrRy',
    codex32: 'ms10testsxxxxxxxxxxxxxxxxxxxxxxxxxx4nzvca9cmczlw',
    'encrypted keys of Electrum': JSON.stringify({ keystore: { xpub: zpub, keypairs: { '02aa': 'c2VjcmV0' } } }),
    'a wallet of Electrum with a seed': JSON.stringify({
      wallet_type: 'standard',
      keystore: { xpub: zpub, seed: 'x' },
    }),
  }
  test.each(Object.entries(secrets))('%s', (_, secret) => {
    for (const text of [secret, `# mine\n${firstOfZpub}\n${secret}\n`, `{"note": "x"}\n${secret}`]) {
      const { code, message, cure = '' } = refusal(() => read(text))
      expect(code).toBe('invalid_file')
      expect(message).toMatch(/^the text has .+: nothing was stored$/)
      for (const part of secret.split(/[\s,"]+/).filter((each) => each.length > 20))
        expect(message + cure).not.toContain(part)
    }
  })

  test('a label may not spell it in escapes, and may be a sentence', () => {
    const label = {
      type: 'tx',
      ref: '00',
      label: 'bought with money that came from selling the old blue car with wheels',
    }
    expect(read(`${firstOfZpub}\n${JSON.stringify(label)}`).labels).toEqual([{ ref: '00', label: label.label }])
    const escaped = JSON.stringify({ ...label, label: words }).replaceAll(' ', String.raw`\u0020`)
    expect(refusal(() => read(`${firstOfZpub}\n${escaped}`)).message).toBe(
      'the text, line 2 has seed words: nothing was stored',
    )
  })

  test('a descriptor may not spell it in escapes', () => {
    const escaped = `[{"desc":"wpkh(\\u0078prv${firstOfZpub.slice(4, 40).replaceAll(/[^1-9A-HJ-NP-Za-km-z]/g, 'a')}/0/*)"}]`
    expect(refusal(() => read(escaped)).message).toBe(
      'the text, descriptor 1 has an extended private key: nothing was stored',
    )
  })

  test('a wallet that only watches has empty fields of the same names', () => {
    const keystore = { type: 'bip32', xpub: zpub, xprv: null, seed: null, passphrase: '', derivation: "m/84'/0'/0'" }
    expect(textsOf(JSON.stringify({ wallet_type: 'standard', seed_version: 17, keystore }, null, 4))).toHaveLength(1)
  })
})

describe('what is no wallet is refused', () => {
  const wrong: readonly (readonly [what: string, text: string, message: RegExp])[] = [
    ['another network', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', /line 1 is no .* address of mainnet/],
    ['a key of another network', upub, /line 1 has an extended key of another network/],
    ['a wrong checksum', `${firstOfZpub.slice(0, -1)}q`, /line 1 is no/],
    ['a wrong checksum of a key', `${zpub.slice(0, -1)}1`, /wrong checksum/],
    [
      'one key of a multisig',
      'Zpub6qg3Uc1BAQkQvcBUYMmZHSzbsshSon3FvJ8yvH3ZZMjFNvJkwSji8UUwghiF3wvpvSvcNWVP8kfUhc2V2RwGp6pTC3ouj6njj956f26TniN',
      /./,
    ],
    ['prose', `${firstOfZpub}\n\nhello`, /line 3 is no descriptor/],
    ['JSON of something else', '{"a": 1}', /JSON of an unknown form/],
    ['10 MB', 'x'.repeat(10_000_000), /more than 8 million characters/],
    ['20,001 addresses', `${firstOfZpub}\n`.repeat(20_001), /more than 20000/],
  ]
  test.each(wrong)('%s', (_, text, message) => {
    const error = refusal(() => read(text))
    expect(error.code).toBe('invalid_file')
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain(firstOfZpub.slice(0, 12))
    expect(error.cure).toContain('docs/wallets.md')
  })

  test('8 million characters without a line take little time', () => {
    const begin = performance.now()
    for (const text of [
      'a '.repeat(3_900_000),
      ' '.repeat(7_900_000),
      '1 '.repeat(3_900_000),
      'abc '.repeat(1_900_000),
    ]) {
      if (text.trim() !== '') expect(() => read(text)).toThrow(CoinstrataError)
      else expect(read(text).descriptors).toEqual([])
    }
    expect(performance.now() - begin).toBeLessThan(30_000)
  }, 60_000)
})

test('a single key is watched in every way that it may be used', () => {
  const [key] = textsOf(zpub)
  expect(key).toMatch(/^wpkh\(xpub\w+\/<0;1>\/\*\)$/)
  const xpub = /xpub\w+/.exec(key!)![0]
  expect(textsOf(xpub).map((text) => text.replace(xpub, 'K'))).toEqual([
    'pkh(K/<0;1>/*)',
    'sh(wpkh(K/<0;1>/*))',
    'wpkh(K/<0;1>/*)',
    'tr(K/<0;1>/*)',
  ])
  expect(textsOf(`[73c5da0a/84'/0'/0']${zpub}`)).toEqual([`wpkh([73c5da0a/84'/0'/0']${xpub}/<0;1>/*)`])
})

test('labels of BIP 329, with the price that was paid', () => {
  const lines = [
    { type: 'tx', ref: 'ab'.repeat(32), label: '=first, "half"', rate: { USD: 105_620.5, EUR: 1 } },
    { type: 'addr', ref: firstOfZpub, label: 'not used' },
    { type: 'tx', ref: 'cd'.repeat(32) },
  ]
  expect(read(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual({
    descriptors: [],
    labels: [
      { ref: 'ab'.repeat(32), label: 'first   half ', price: 105_620.5 },
      { ref: 'cd'.repeat(32), label: '' },
    ],
  })
  expect(read(JSON.stringify(lines[0])).labels).toHaveLength(1)
})

const bitcoind = findBitcoind()

/** Undefined if scripts of the descriptor have no address. */
const deriveAddresses = (node: WalletNode, { descriptor, is_range }: WalletDescriptor, first: number, end: number) =>
  ifAccepted(
    node.call('deriveaddresses', is_range ? [descriptor, [first, end - 1]] : [descriptor], z.array(z.string())),
  )

describe.skipIf(!bitcoind)('with a node', () => {
  const nodes: TestNode[] = []
  const byNetwork = new Map<NetworkName, WalletNode>()
  beforeAll(async () => {
    for (const network of ['mainnet', 'regtest'] as const) {
      const node = await startNode(bitcoind!, { network })
      nodes.push(node)
      byNetwork.set(network, new WalletNode(node.client))
    }
  })
  afterAll(() => Promise.all(nodes.map((node) => node.stop())))

  const check = (text: string, network: NetworkName = 'mainnet') =>
    checkDescriptors(byNetwork.get(network)!, read(text, network).descriptors)

  async function firstAddresses(text: string, network: NetworkName = 'mainnet'): Promise<string[]> {
    const node = byNetwork.get(network)!
    const found = await check(text, network)
    const derived = await Promise.all(found.map((each) => deriveAddresses(node, each, 0, 1)))
    return derived.map((addresses) => addresses?.[0] ?? '')
  }

  const withChecksum = async (descriptor: string): Promise<string> => {
    const info = z.object({ checksum: z.string() })
    const { checksum } = await byNetwork.get('mainnet')!.call('getdescriptorinfo', [descriptor], info)
    return `${descriptor}#${checksum}`
  }

  test('zpub and upub give the addresses of their test vectors', async () => {
    expect(await firstAddresses(zpub)).toEqual([firstOfZpub, changeOfZpub])
    expect((await firstAddresses(upub, 'regtest'))[0]).toBe(firstOfUpub)
  })

  test('exports of Sparrow, Bitcoin Core and Specter are the same wallet', async () => {
    const [whole = ''] = textsOf(zpub)
    const [receive, change] = await Promise.all(['0', '1'].map((chain) => withChecksum(whole.replace('<0;1>', chain))))
    const sparrow = `# Receive and change descriptor (BIP389):\n${await withChecksum(whole)}\n
# Receive descriptor (Bitcoin Core):\n${receive}\n\n# Change descriptor (Bitcoin Core):\n${change}\n`
    const entries = [receive, change].map((desc, i) => ({ desc, timestamp: 0, active: true, internal: i === 1 }))
    const ranged = entries.map((entry) => ({ ...entry, range: [0, 999], next: 5, next_index: 5 }))
    const exports = [
      sparrow,
      JSON.stringify({ wallet_name: 'w', descriptors: ranged }),
      JSON.stringify(entries),
      JSON.stringify({ label: 'w', blockheight: 1, descriptor: receive, devices: [] }),
    ]
    for (const text of exports) expect(await firstAddresses(text)).toEqual([firstOfZpub, changeOfZpub])
    expect((await check(exports[1]!)).map(({ used }) => used)).toEqual([1_000, 1_000])
    expect(read(JSON.stringify([{ desc: receive, range: 5e9 }])).descriptors[0]!.used).toBe(100_000)
  })

  test('descriptors of other kinds, and public keys', async () => {
    const [key] = textsOf(zpub)
    const xpub = /xpub\w+/.exec(key!)![0]
    const kinds = [
      `wsh(sortedmulti(2,${xpub}/<0;1>/*,${xpub}/<2;3>/*))`,
      `tr(${xpub}/<0;1>/*)`,
      `wsh(andor(pk(${xpub}/<0;1>/*),older(10),pk(${xpub}/<2;3>/*)))`,
      genesisKey,
    ]
    for (const kind of kinds) expect((await check(kind)).length, kind).toBeGreaterThan(0)
    expect((await check(genesisKey)).map(({ descriptor }) => descriptor.slice(0, 6))).toEqual(['combo('])
  })

  test('what the node refuses names its place, without its text', async () => {
    const [key] = textsOf(zpub)
    const good = await withChecksum(key!)
    const bad = [
      `${good.slice(0, -1)}${good.endsWith('q') ? 'p' : 'q'}`,
      key!.replace('wpkh', 'wpk'),
      'wsh(pk(02ff))',
      key!.replace('<0;1>', '0h'),
    ]
    for (const text of bad) {
      const error: unknown = await check(`${firstOfZpub}\n${text}`).catch((cause: unknown) => cause)
      expect(error).toMatchObject({
        code: 'invalid_file',
        message: expect.stringContaining('line 2 is refused by the node'),
      })
      expect(String(error)).not.toMatch(/xpub|wpkh\(/)
    }
  })

  test('4,000 addresses are checked within half a minute', async () => {
    const node = byNetwork.get('mainnet')!
    const [key] = textsOf(zpub)
    const kinds = await check(`${key}\n${key!.replace('wpkh', 'tr')}`)
    const derived = await Promise.all(kinds.map((each) => deriveAddresses(node, each, 0, 1_000)))
    const begin = performance.now()
    expect(await check(derived.flatMap((each) => each!).join('\n'))).toHaveLength(4_000)
    expect(performance.now() - begin).toBeLessThan(30_000)
  }, 60_000)
})
