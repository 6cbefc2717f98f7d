import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { address, networks as addressNetworks } from 'bitcoinjs-lib'
import { afterAll, beforeEach } from 'vitest'
import { makeChain } from '#test/support/made-chain.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishedTable, rowsOf } from '#test/support/published.ts'

export const blockCount = 320
export const fork = 310
/** One block more than is read: the last is cut off in its file. */
export const chain = makeChain(blockCount + 1)

/** Addresses by script in hexadecimal; bitcoinjs-lib takes a tenth of a millisecond for each. */
const texts = new Map<string, string | undefined>()

export function toText(script: Uint8Array): string | undefined {
  const hex = Buffer.from(script).toString('hex')
  if (!texts.has(hex)) texts.set(hex, encodeAddress(script))
  return texts.get(hex)
}

function encodeAddress(script: Uint8Array): string | undefined {
  try {
    return address.fromOutputScript(script, addressNetworks.regtest)
  } catch {
    return undefined
  }
}

/** Addresses of the chain by their first output. */
const found = [
  ...new Set(
    chain
      .slice(1)
      .flatMap(({ block }) =>
        block.transactions!.flatMap(({ outs }) => outs.flatMap(({ script }) => toText(script) ?? [])),
      ),
  ),
]

export const [first = '', second = '', third = '', ...others] = found
export const labels = { 'Old wallet': [first, second], Fund: [third] }

/** A data folder for each test, and lists of labelled addresses in it. */
export function useLabelled() {
  const folder = temporaryFolder('labels')
  afterAll(() => rmSync(folder, { recursive: true }))
  let number = 0
  const place = { folder, dataDir: '' }
  beforeEach(() => {
    place.dataDir = path.join(folder, String(number++))
  })
  return place
}

/** Replaces the lists of a data folder. */
export function label(dataDir: string, ...files: readonly Readonly<Record<string, readonly string[]>>[]): void {
  const labels = path.join(dataDir, 'labels')
  rmSync(labels, { recursive: true, force: true })
  mkdirSync(labels, { recursive: true })
  for (const [i, names] of files.entries()) {
    const lines = Object.entries(names).flatMap(([name, texts]) =>
      texts.map((text) => `${text},${name},made for the test`),
    )
    writeFileSync(path.join(labels, `${i}.csv`), `address,name,source\n${lines.join('\n')}\n`)
  }
}

export const privateFile = (dataDir: string): string => path.join(dataDir, 'labels', 'label_days.parquet')
const columns = `date::VARCHAR, label, addresses, balance_sats, received_sats, spent_sats, realized_cap, coin_days, coin_days_destroyed`
export const published = (dataDir: string) =>
  rowsOf(`SELECT ${columns} FROM ${publishedTable(dataDir, 'label_days')} ORDER BY ALL`)
export const readPrivate = (dataDir: string) => rowsOf(`SELECT ${columns} FROM '${privateFile(dataDir)}' ORDER BY ALL`)
