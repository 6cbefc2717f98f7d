import { rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { AddressMode } from '#compute/address-sample.ts'
import { chooseScan, publishedAddresses } from '#compute/scan/rescan.ts'
import { readScannedChain } from '#compute/scan/scanned-chain.ts'
import { formatVersion } from '#compute/scan/segments.ts'
import { writeIntactJson } from '#sql/intact-file.ts'
import { readRescan } from '#state/rescan.ts'
import { settingsOf } from '#test/support/made-folder.ts'
import { temporaryFolder } from '#test/support/program.ts'

const dataDir = temporaryFolder('rescan')
const said: string[] = []

/** Records a scan as the last one. */
function scanned(addresses: AddressMode, format = formatVersion): void {
  const tip = { height: 9, hash: '00' }
  const chain = { version: 3, network: 'regtest', source: 'files', tip, work: '1', segments: [], lastHeights: [] }
  writeIntactJson(path.join(dataDir, 'raw/chain.json'), { ...chain, addresses, format, node: null, notes: [] })
}

const choose = (addresses: AddressMode, isAllowed = false) =>
  chooseScan(settingsOf(dataDir, '', { addresses }), undefined, 8e11, isAllowed, (text) => said.push(text)).addresses

beforeEach(() => {
  rmSync(path.join(dataDir, 'state'), { recursive: true, force: true })
  said.length = 0
})
afterAll(() => rmSync(dataDir, { recursive: true }))

describe('a second scan of all blocks', () => {
  it('waits until it is allowed, and then continues without being allowed once more', () => {
    expect(choose('all')).toBe('all')
    scanned('sample')
    expect(choose('all')).toBe('sample')
    expect(publishedAddresses('all', readScannedChain(dataDir))).toBe('sample')
    expect(readRescan(dataDir)).toEqual({
      why: 'ADDRESSES is all, and blocks were scanned with sample',
      effort: expect.stringMatching(/^all blocks are read again, 800\.0 GB, in about \d+ min \d+ s if the disk/),
      isAllowed: false,
    })
    expect(said.join()).toMatch(/once "coinstrata update --yes" allows it$/)
    expect(choose('all', true)).toBe('all')
    expect(choose('all')).toBe('all')
    scanned('all')
    expect(choose('all')).toBe('all')
    expect(readRescan(dataDir)).toBeUndefined()
  })

  it('is not needed to publish no addresses, nor for the sample after that', () => {
    scanned('sample')
    expect(choose('off')).toBe('sample')
    expect(publishedAddresses('off', readScannedChain(dataDir))).toBe('off')
    expect(readRescan(dataDir)).toBeUndefined()
    scanned('all')
    expect(choose('off')).toBe('off')
  })

  it('is refused with its reason where nothing can be scanned as before', () => {
    scanned('sample', formatVersion - 1)
    expect(() => choose('sample')).toThrow(
      expect.objectContaining({ code: 'rescan_needed', message: expect.stringMatching(/^this version .* 800\.0 GB/) }),
    )
    expect(choose('sample', true)).toBe('sample')
    expect(choose('sample')).toBe('sample')
  })
})
