import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text as streamText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isoDate, parseDay, secondsPerDay } from '#base/days.ts'
import { withWallets } from '#compute/data-folder.ts'
import { findBitcoind, startNode, type TestNode } from '#test/support/bitcoind.ts'
import { coinstrata, type Outcome, placesIn, program, temporaryFolder } from '#test/support/program.ts'
import { rowsOf } from '#test/support/published.ts'
import { NodeWallet } from '#test/wallets/watched-chain.ts'

const bitcoind = findBitcoind()
const text = z.string()

/** Days before the last closed one on which the wallet receives 1, 2 and 0.5 BTC, and sends 0.25. */
const receiptDays = [40, 30, 20] as const
const sentDay = 10
const coins = [1.000_011_11, 2.000_022_22, 0.500_033_33] as const
const sentCoins = 0.250_044_44

describe.skipIf(!bitcoind)('a wallet of the operator', () => {
  const folder = temporaryFolder('wallets')
  const { dataDir, exported, prices, backup, store } = placesIn(
    folder,
    'dataDir',
    'exported',
    'prices',
    'backup',
    'store',
  )
  let node: TestNode
  let own: NodeWallet
  let other: NodeWallet
  let firstId = ''
  /** All that the program has said. */
  let said = ''
  // Soon after the genesis block, so that there are few days to compute.
  const today = parseDay('2011-06-01')
  /** USD on a day that many days before the last closed one. */
  const priceBefore = (days: number): number => 50_000 - 100 * days

  const run = async (args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> => {
    const source = ['--network', 'regtest', '--datadir', node.datadir, '--rpc-url', node.endpoint.url]
    const hasSource = args[0] === 'update' || args[1] === 'add' || args[1] === 'update'
    const outcome = await coinstrata([...args, '--data-dir', dataDir, ...(hasSource ? source : [])], {
      environment: { LOG_LEVEL: 'trace', ...environment },
    })
    if (args[0] !== 'wallet') said += outcome.stdout
    said += outcome.stderr
    return outcome
  }

  async function mineOn(daysBefore: number, blocks = 1): Promise<void> {
    await node.rpc('setmocktime', [(today - 1 - daysBefore) * secondsPerDay + 43_200])
    await node.rpc('generatetoaddress', [blocks, await other.address()])
  }

  async function succeed(args: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run(args)
    expect(exitCode, stderr).toBe(0)
    return stdout
  }

  /** A figure of what `wallet show` prints. */
  const figure = (printed: string, name: string): number => {
    const line = printed.split('\n').find((each) => each.startsWith(`${name}  `)) ?? ''
    return Number(
      /([\d,.]+)(?:\s|$)/
        .exec(line.slice(name.length).replace(/^ +[A-Za-z ]*[A-Z%a-z] {2,}/, ''))?.[1]
        ?.replaceAll(',', ''),
    )
  }

  beforeAll(async () => {
    node = await startNode(bitcoind!, { args: ['-blockfilterindex=1', '-fallbackfee=0.0001', '-unsafesqlitesync'] })
    await node.rpc('setmocktime', [(today - 60) * secondsPerDay])
    own = await NodeWallet.create(node, 'own')
    other = await NodeWallet.create(node, 'other')
    await mineOn(50, 110)
    for (const [i, days] of receiptDays.entries()) {
      const id = await other.rpc('sendtoaddress', [await own.address(), coins[i]], text)
      firstId ||= id
      await mineOn(days)
    }
    await own.rpc('sendtoaddress', [await other.address(), sentCoins], text)
    await mineOn(sentDay)
    await mineOn(0)
    await mineOn(-1)
    const rows = Array.from({ length: 60 }, (_, i) => `${isoDate(today - 1 - i)},${priceBefore(i)}`).reverse()
    writeFileSync(prices, `date,close\n${rows.join('\n')}\n`)
    writeFileSync(exported, await own.export())
    await succeed(['import', 'prices', prices])
    await succeed(['update'])
  }, 240_000)
  afterAll(async () => {
    await node?.stop()
    rmSync(folder, { recursive: true })
  })

  test('nothing private, foreign or unknown is stored', async () => {
    const secret = await own.rpc(
      'listdescriptors',
      [true],
      z.object({ descriptors: z.array(z.object({ desc: text })) }),
    )
    const bad: readonly (readonly [given: string, message: RegExp])[] = [
      [secret.descriptors[0]!.desc, /has an extended private key: nothing was stored/],
      ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', /is no descriptor, public key or address of regtest/],
      ['wpkh(02ff)', /is refused by the node/],
      ['{"type":"tx","ref":"00"}', /there is no descriptor, key or address/],
    ]
    for (const [given, message] of bad) {
      const { exitCode, stdout, stderr } = await run(['wallet', 'add', 'savings', given])
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(message)
      expect(stdout + stderr).not.toContain(given.slice(0, 20))
    }
    expect((await run(['wallet', 'add', '../savings', exported])).stderr).toContain('small letters')
    expect((await run(['wallet', 'show', 'savings'])).stderr).toContain('there is no wallet savings')
    expect(existsSync(path.join(dataDir, 'wallets'))).toBe(false)
  })

  test('standard input may come late', async () => {
    const child = spawn(process.execPath, [program, 'wallet', 'add', 'late', '--data-dir', dataDir])
    await sleep(700)
    child.stdin.end('hello')
    expect(await streamText(child.stderr)).toContain('standard input, line 1 is no descriptor')
  })

  test('an export gives cost and profit in one step', async () => {
    const printed = await succeed(['wallet', 'add', 'savings', exported])
    const { mine } = await own.rpc('getbalances', [], z.object({ mine: z.object({ trusted: z.number() }) }))
    expect(figure(printed, 'Balance')).toBe(mine.trusted)
    const fee = figure(printed, 'Fees paid')
    const [first] = coins
    // The node pays with the coin that fits best, which is the smallest.
    const left = coins[2] - sentCoins - fee
    const cost = first * priceBefore(40) + coins[1] * priceBefore(30) + left * priceBefore(20)
    expect(figure(printed, 'Cost of what is held')).toBeCloseTo(cost, 1)
    expect(figure(printed, 'Value')).toBeCloseTo(mine.trusted * priceBefore(0), 1)
    const profit = sentCoins * (priceBefore(10) - priceBefore(20)) - fee * priceBefore(20)
    expect(figure(printed, 'Profit realized')).toBeCloseTo(profit, 1)
    const chainCost = first * priceBefore(40) + coins[1] * priceBefore(30) + left * priceBefore(10)
    expect(figure(printed, 'Average cost, as the chain shows')).toBeCloseTo(chainCost / mine.trusted, 1)
    expect(printed).not.toContain('NaN')
    // Nothing of the market costs more than the blocks of the last days, so shares are within 0 and 1.
    expect(printed).toMatch(/Coins that cost more than yours +percent +\d+\.\d/)
    expect(printed).toMatch(/MVRV +ratio +1\.0\d\d +\d\.\d+ /)
    expect(printed).toMatch(/Addresses with as much or more, at least +count +\d+\n/)
    expect(printed).toBe(
      `${await succeed(['wallet', 'show', 'savings'])}your service shows it to you alone: open its page /wallets\n`,
    )
  })

  test('a label has the price that was paid', async () => {
    const before = figure(await succeed(['wallet', 'show']), 'Cost of what is held')
    const label = JSON.stringify({ type: 'tx', ref: firstId, label: 'from Bob', rate: { USD: 1_000 } })
    const printed = await succeed(['wallet', 'add', 'savings', label])
    expect(figure(printed, 'Cost of what is held')).toBeCloseTo(before - coins[0] * (priceBefore(40) - 1_000), 1)
    const [receipt] = await rowsOf(`FROM '${path.join(dataDir, 'wallets/savings/receipts.parquet')}' LIMIT 1`)
    expect(receipt).toEqual([expect.any(String), 'received', '100001111', '1000.0', '1000.01111', firstId, 'from Bob'])
  })

  test('an update of everything finds new transactions', async () => {
    await other.rpc('sendtoaddress', [await own.address(), 0.3], text)
    await node.rpc('setmocktime', [today * secondsPerDay + 50_000])
    await node.rpc('generatetoaddress', [1, await other.address()])
    await succeed(['update'])
    const { mine } = await own.rpc('getbalances', [], z.object({ mine: z.object({ trusted: z.number() }) }))
    expect(figure(await succeed(['wallet', 'show', 'savings']), 'Balance')).toBe(mine.trusted)
  })

  test('a damaged wallet does not keep the others from their transactions', async () => {
    await succeed(['wallet', 'add', 'cold', await other.address()])
    const file = path.join(dataDir, 'wallets/cold/wallet.json')
    const intact = readFileSync(file)
    writeFileSync(file, '{}')
    await other.rpc('sendtoaddress', [await own.address(), 0.2], text)
    await node.rpc('generatetoaddress', [1, await other.address()])
    const { exitCode, stderr } = await run(['wallet', 'update'])
    expect(stderr).toContain('the wallet cold is damaged')
    expect(exitCode).not.toBe(0)
    const { mine } = await own.rpc('getbalances', [], z.object({ mine: z.object({ trusted: z.number() }) }))
    expect(figure(await succeed(['wallet', 'show', 'savings']), 'Balance')).toBe(mine.trusted)
    writeFileSync(file, intact)
    // As after an interruption.
    rmSync(path.join(dataDir, 'wallets/cold/report'))
    expect(await succeed(['wallet', 'show', 'cold'])).toBe('not computed yet: run "wallet update"\n')
    const { descriptors } = z.object({ descriptors: z.array(z.unknown()) }).parse(JSON.parse(await own.export()))
    const count = await node.rpc('getblockcount')
    expect((await succeed(['wallet', 'list'])).split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['wallet', 'descriptors', 'method', 'way', 'block'],
      ['cold', '1', 'output', 'not computed yet'],
      ['savings', `${descriptors.length}`, 'output', 'blocks', `${count}`],
      [''],
    ])
    await succeed(['wallet', 'remove', 'cold'])
  })

  test('only this user can read its files', () => {
    const wallets = path.join(dataDir, 'wallets')
    expect(statSync(wallets).mode & 0o777).toBe(0o700)
    expect(statSync(path.join(wallets, 'savings')).mode & 0o777).toBe(0o700)
    const modes = filesBelow(wallets).map((file) => [path.basename(file), statSync(file).mode & 0o777])
    expect(modes.length).toBeGreaterThan(8)
    for (const [name, mode] of modes) expect(mode, String(name)).toBe(0o600)
  })

  test('nothing of it is in logs, backups, stores or other files', async () => {
    await succeed(['backup', backup])
    await succeed(['publish', '--to', `file://${store}`])
    using archive = new DatabaseSync(backup, { readOnly: true })
    const names = archive.prepare('SELECT name FROM sqlar').all()
    expect(JSON.stringify(names)).not.toContain('wallet')
    const others = [...filesBelow(dataDir), ...filesBelow(store), backup].filter(
      (file) => !file.startsWith(path.join(dataDir, 'wallets')),
    )
    const contents = [Buffer.from(said), ...others.map((file) => readFileSync(file))]
    const listed = z.array(z.object({ address: text, txid: text, scriptPubKey: text }))
    const unspent = await own.rpc('listunspent', [0], listed)
    const { descriptors } = z
      .object({ descriptors: z.array(z.object({ desc: text })) })
      .parse(JSON.parse(readFileSync(exported, 'utf8')))
    const report = readFileSync(path.join(dataDir, 'wallets/savings/report'), 'latin1')
    const [, balance = ''] = /"Balance","unit":"BTC","mine":([\d.]+)/.exec(report) ?? []
    const secrets = [
      ...unspent.flatMap(({ address, txid, scriptPubKey }) => [address, txid, scriptPubKey]),
      ...descriptors.map(({ desc }) => /tpub\w+/.exec(desc)![0]),
      balance,
      balance.replace('.', ''),
      'from Bob',
    ]
    expect(secrets.length).toBeGreaterThan(15)
    expect(balance.length).toBeGreaterThan(8)
    for (const secret of secrets) {
      // The search itself finds them where they are.
      const isKnown =
        filesBelow(path.join(dataDir, 'wallets')).some((file) => readFileSync(file).includes(secret)) ||
        unspent.some(({ address }) => address === secret)
      expect(isKnown || secret === balance.replace('.', ''), secret).toBe(true)
      const found = contents.findIndex((content) => content.includes(secret))
      expect(found < 0 ? '' : (['output', ...others][found] ?? ''), secret).toBe('')
    }
  })

  test('a wallet is removed while no update runs, and leaves nothing', async () => {
    const { exitCode, stderr } = await withWallets(dataDir, () => run(['wallet', 'remove', 'savings']))
    expect(stderr).toContain('another run is updating the wallets')
    expect(exitCode).toBe(3)
    // Even what it is made of may be lost.
    rmSync(path.join(dataDir, 'wallets/savings/wallet.json'))
    await succeed(['wallet', 'remove', 'savings'])
    expect(readdirSync(path.join(dataDir, 'wallets'))).toEqual([])
    for (const command of ['show', 'list'])
      expect(await succeed(['wallet', command])).toBe('there is no wallet: run "wallet add"\n')
  })
})

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
