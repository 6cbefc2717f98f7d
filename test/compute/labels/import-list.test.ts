import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { importList } from '#compute/labels/import-list.ts'
import { readLabels } from '#compute/labels/label-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-list-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const [first, second] = ['12c6DSiU4Rq3P4ZxziKxzrL5LmMBrzjrJX', '1HLoD9E4SDFFPDiYfNYnkBLQ85Y51J3Zb1']

function importText(text: string | Buffer): string {
  const list = path.join(folder, 'list')
  writeFileSync(list, text)
  importList(folder, 'mainnet', list, 'Mine')
  return readFileSync(path.join(folder, 'labels', 'mine.csv'), 'utf8')
    .split('\n')
    .slice(1, -1)
    .join(' ')
}

const both = `${first},"Mine","list" ${second},"Mine","list"`
it.each<[string, string | Buffer, string]>([
  ['lines of addresses', `My wallets\n# 2024\n${first}\r\n\r\n${second}\n`, both],
  ['UTF-16', Buffer.from(`\uFEFF${first}\n${second}\n`, 'utf16le'), both],
  [
    'other columns in another order',
    `height;label;Address\n1;Cold;${first}\n2;;${second}\n`,
    both.replace('Mine', 'Cold'),
  ],
  [
    'other coins',
    `asset\taddress\tnetwork\nBTC\t${first}\tBitcoin\nETH\t0x0\tETH\nBTC\t0x0\tBSC\nbtc\t${second}\tbtc\n`,
    both,
  ],
  [
    'a TagPack',
    `---
title: Example
creator: John Doe
label: Cold
tags:
  - address: ${first}
    currency: BTC
    concepts:
      - exchange
  - label: "Hot wallet" # second
    address: '${second}'
    currency: BTC
  - address: 0xFA8E3920daF271daB92Be9B87d9998DDd94FEF08
    currency: ETH
`,
    both.replace('Mine', 'Cold').replace('Mine', 'Hot wallet'),
  ],
  [
    'a TagPack with its coin above',
    `title: Example\ncurrency: BTC\ntags:\n- label: Mine\n  address: ${first}\n- address: ${second}\n  label: Mine\n`,
    both,
  ],
])('reads %s', (_, text, stored) => expect(importText(text)).toBe(stored))

it.each([
  ['a line that is no address', `${first}\nsecond\n`, 'list, line 2: "second" is no address of mainnet'],
  ['an address of another network', 'address\nmipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn\n', 'list, line 2: "mipcB'],
  [
    'an address with two labels',
    `address,label\n${first},Cold\n${second},Hot\n${first},Hot\n`,
    `list, line 4: ${first} is "Cold" and "Hot"`,
  ],
  ['a name that is none', `address,name\n${first},=1+1\n`, 'list, line 2: "=1+1" begins with = + @ or -'],
  [
    'a label over several lines',
    `tags:\n- address: ${first}\n  label: >\n    Cold\n`,
    'entry 1: label is not plain text',
  ],
  ['a quote without end', `address\n"${first}\n`, 'Quote Not Closed'],
  ['no address', 'date,close\n2024-01-13,1\n', 'lists no Bitcoin address'],
])('refuses %s with its line', (_, text, message) => {
  expect(() => importText(text)).toThrow(message)
})

it('reads columns in any order, beside others, from the folder of lists', () => {
  importText(first)
  writeFileSync(path.join(folder, 'labels', 'own.csv'), `date;name;address\n2024-01-01;Cold;${second}\n`)
  expect(readLabels(folder, 'mainnet')?.names).toEqual(['Cold', 'Mine'])
})
