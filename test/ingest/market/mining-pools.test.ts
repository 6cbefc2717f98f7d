import { appendFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { builtInPools, importMiningPools, readMiningPools } from '#ingest/market/mining-pools.ts'
import { dataDir, freshDataFolders } from './data-folder.ts'
import { serve } from './fake-server.ts'

freshDataFolders()

/** Examples of BIP 173, BIP 350 and of the first block, with their scripts. */
const addresses = [
  ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
  ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
  ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
  [
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  ],
  ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', '76a914243f1394f44554f4ce3fd68649c19adc483ce92488ac'],
] as const

const pool = (change: object = {}) => ({
  id: 7,
  name: 'Some Pool & Co.',
  link: 'https://pool.example',
  addresses: [],
  tags: ['/some/'],
  ...change,
})

function file(content: unknown): string {
  const name = path.join(dataDir, 'pools.json')
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content))
  return name
}

test('the built-in list has an id and a mark for every pool', () => {
  const pools = builtInPools()
  expect(pools).toHaveLength(168)
  for (const { id, scripts, tags } of pools) {
    expect(id).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/)
    expect(scripts.length + tags.length).toBeGreaterThan(0)
  }
  expect(pools.find(({ id }) => id === 'braiins_pool')).toMatchObject({ name: 'Braiins Pool', tags: ['/slush/'] })
})

test('an imported list replaces the built-in one, with the scripts of its addresses', async () => {
  expect(readMiningPools(dataDir)).toEqual(builtInPools())
  const list = [pool({ addresses: addresses.map(([address]) => address) }), pool({ name: 'b', link: 'b.example' })]
  const expected = [
    {
      id: 'some_pool_co',
      name: 'Some Pool & Co.',
      link: 'https://pool.example',
      tags: ['/some/'],
      scripts: addresses.map(([, script]) => script),
    },
    { id: 'b', name: 'b', link: null, scripts: [], tags: ['/some/'] },
  ]
  expect(await importMiningPools(dataDir, file(list))).toEqual(expected)
  expect(readMiningPools(dataDir)).toEqual(expected)
})

test('a list is read from an address', async () => {
  const server = await serve(() => ({ body: [pool()] }))
  try {
    await importMiningPools(dataDir, `${server.url}/pools-v2.json`)
    expect(server.asked.map(({ path }) => path)).toEqual(['/pools-v2.json'])
    expect(readMiningPools(dataDir).map(({ id }) => id)).toEqual(['some_pool_co'])
  } finally {
    await server.close()
  }
})

test.each([
  ['no JSON', '{', ''],
  ['no pools', [], ''],
  ['a wrong digit in an address', [pool({ addresses: ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'] })], '0.addresses.0'],
  ['an address of another coin', [pool({ addresses: ['LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1'] })], '0.addresses.0'],
  ['an empty tag', [pool({ tags: [''] })], '0.tags.0'],
  ['a name without letters', [pool({ name: '…' })], '0.name'],
  ['two pools of one name', [pool(), pool()], ''],
])('a list with %s changes nothing', async (_, content, where) => {
  await importMiningPools(dataDir, file([pool({ name: 'before' })]))
  const name = file(content)
  await expect(importMiningPools(dataDir, name)).rejects.toMatchObject({
    code: 'invalid_file',
    message: expect.stringContaining(`${name}: ${where}`),
  })
  expect(readMiningPools(dataDir).map(({ id }) => id)).toEqual(['before'])
})

test('a file that is not there changes nothing, and a damaged list is not used', async () => {
  await expect(importMiningPools(dataDir, path.join(dataDir, 'absent.json'))).rejects.toMatchObject({
    code: 'invalid_file',
  })
  expect(readMiningPools(dataDir)).toEqual(builtInPools())
  await importMiningPools(dataDir, file([pool()]))
  appendFileSync(path.join(dataDir, 'raw/market/mining-pools.json'), 'x')
  expect(() => readMiningPools(dataDir)).toThrow(expect.objectContaining({ code: 'data_folder_damaged' }))
})
