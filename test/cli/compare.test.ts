import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DayHashes, formatHashList, formatSigned, type Proof } from '#contract/proof.ts'
import { compareHistory, describeComparison } from '#root/cli/compare.ts'
import { serve } from '#test/api/support/test-server.ts'
import { copyFolder } from '#test/support/core-file.ts'
import { listen } from '#test/support/listen.ts'
import { temporaryFolder } from '#test/support/program.ts'
import { publishedChain } from '#test/support/published-chain.ts'
import { compare, operate } from './operators.ts'

const folder = temporaryFolder('compare')
afterAll(() => rmSync(folder, { recursive: true }))

function writeKeys(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const [privateFile, publicFile] = [path.join(folder, `${name}.key`), path.join(folder, `${name}.pub`)]
  writeFileSync(privateFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(publicFile, publicKey.export({ type: 'spki', format: 'pem' }))
  const encoded = publicKey.export({ type: 'spki', format: 'der' })
  const fingerprint = createHash('sha256').update(encoded).digest('hex')
  return { privateKey, privateFile, publicFile, fingerprint, encoded }
}
const keys = writeKeys('publish')

const regtest = path.join(folder, 'regtest')
beforeAll(async () => {
  copyFolder((await publishedChain(12)).dataDir, regtest)
})

describe('operators of one chain', { timeout: 300_000 }, () => {
  let grown: string
  let atOnce: string
  let url: string
  beforeAll(async () => {
    grown = await operate(path.join(folder, 'grown'), { days: [60, 100], cores: 1 })
    atOnce = await operate(path.join(folder, 'at-once'), {
      days: [90],
      cores: 4,
      close: 5.5,
      signingKeyFile: keys.privateFile,
    })
    const server = await serve(atOnce)
    url = server.url
    return server.close
  })

  test('have the same history, from genesis or continued, with any number of cores; prices may differ', async () => {
    const { exitCode, stdout, stderr } = await compare(grown, url)
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(`^ours:    ${grown} \\(generation \\S+, 2009-01-03 to 2009-04-12\\)$`),
      expect.stringMatching(
        `^theirs:  ${url} \\(generation \\S+, 2009-01-03 to 2009-04-02\\), signed with the key ${keys.fingerprint}$`,
      ),
      'common:  90 days of simulated, 2009-01-03 to 2009-04-02',
      'blocks:  90 of 90 days equal',
      'flows:   90 of 90 days equal',
      'days:    90 of 90 days equal',
      // 2009-03-03 is the sixtieth day.
      expect.stringMatching(
        /^prices: {2}89 of 90 days equal; first different: 2009-03-03 \(.*\), ours \w{12}…, theirs \w{12}…$/,
      ),
      expect.stringMatching(/^metrics: \d+ of 90 days equal; first different: 2009-03-03 \(/),
      '',
    ])
    expect(exitCode).toBe(0)
  })

  test('tell their setting PRICING, and where it differs', async () => {
    const comparison = await compareHistory({ DATA_DIR: grown, MEMORY_LIMIT: '500MB' }, url)
    expect([comparison.ours.pricing, comparison.theirs.pricing]).toEqual(['hourly', 'hourly'])
    const differing = { ...comparison, theirs: { ...comparison.theirs, pricing: 'daily' as const } }
    expect(describeComparison(differing)).toContain(
      '\nPRICING differs, and with it metrics: ours hourly, theirs daily\n',
    )
    expect(describeComparison(comparison)).not.toContain('PRICING')
  })

  test('prove by a signature whose list it is', async () => {
    const others = writeKeys('others')
    for (const trusted of [keys.fingerprint, keys.publicFile]) {
      expect((await compare(grown, url, '--trust', trusted)).exitCode).toBe(0)
    }
    const refused = await compare(grown, url, '--trust', others.publicFile)
    expect(refused.stderr).toContain(`is signed with the key ${keys.fingerprint}, not with ${others.fingerprint}`)
    expect(refused.exitCode).toBe(4)
    const unsigned = await compare(atOnce, grown, '--trust', keys.fingerprint)
    expect([unsigned.exitCode, unsigned.stderr]).toEqual([4, expect.stringContaining('is not signed')])
    const noKey = await compare(grown, url, '--trust', path.join(folder, 'nothing'))
    expect([noKey.exitCode, noKey.stderr]).toEqual([2, expect.stringContaining('cannot be read as a key')])
  })

  test('serve all days to everybody, in pages and as CSV', async () => {
    const rows: DayHashes[] = []
    let cursor = ''
    let proof: Proof | undefined
    do {
      const answer = await (await fetch(`${url}/v1/proof?limit=70${cursor}`)).json()
      rows.push(...answer.data)
      proof = answer.meta.proof
      cursor = answer.meta.next_cursor === undefined ? '' : `&cursor=${answer.meta.next_cursor}`
    } while (cursor !== '')
    expect(rows.length).toBe(90)
    const list = formatHashList(rows.toReversed())
    expect(proof?.sha256).toBe(createHash('sha256').update(list).digest('hex'))
    const csv = await (await fetch(`${url}/v1/proof?start_date=2009-01-03&order=asc&format=csv`)).text()
    expect(csv.replaceAll('\r\n', '\n')).toBe(`date,flows,blocks,days,prices,metrics\n${list}`)
  })

  test('are not compared with other networks and folders without a generation', async () => {
    const other = await compare(regtest, url)
    expect([other.exitCode, other.stderr]).toEqual([
      4,
      expect.stringMatching(/has the history of simulated, \S+ that of regtest \[comparison_failed\]\nWhat to do: /),
    ])
    expect(await compare(grown, path.join(folder, 'nowhere'))).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('is neither a folder nor an address'),
    })
    expect(await compare(path.join(folder, 'nowhere'), url)).toMatchObject({ exitCode: 4 })
  })
})

describe('answers of a service', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
  const dates = ['2011-02-02', '2011-02-03', '2011-02-04']
  const made: DayHashes[] = dates.map((date) => ({
    date,
    flows: sha256(`flows ${date}`),
    blocks: sha256(`blocks ${date}`),
    days: sha256(`days ${date}`),
    prices: null,
    metrics: null,
  }))
  const proofOf = (days: readonly DayHashes[], changes: Partial<Proof> = {}): Proof => ({
    format: 1,
    network: 'regtest',
    sha256: sha256(formatHashList(days)),
    signature: null,
    ...changes,
  })
  const pageOf = (data: readonly unknown[], proof: Proof | undefined, more: object = {}) => ({
    success: true,
    data,
    count: data.length,
    timestamp: '2026-01-01T00:00:00Z',
    meta: { generation: 'g1', proof, ...more },
  })
  const signed = (proof: Proof, key: KeyObject, encoded: Buffer): Proof => ({
    ...proof,
    signature: {
      public_key: encoded.toString('base64'),
      value: sign(null, Buffer.from(formatSigned(proof)), key).toString('base64'),
    },
  })

  async function compareWith(answer: RequestListener) {
    const server = createServer(answer)
    const url = await listen(server)
    try {
      return await compare(regtest, url)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
  const json =
    (body: unknown): RequestListener =>
    (_, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))

  test('are compared if they are whole, signed or not, in one page or several', async () => {
    const whole = await compareWith(json(pageOf(made, signed(proofOf(made), keys.privateKey, keys.encoded))))
    expect(whole.stderr).toBe('')
    expect(whole.stdout).toContain(`signed with the key ${keys.fingerprint}`)
    expect(whole.stdout).toContain('flows:   0 of 3 days equal; first different: 2011-02-02, ours ')
    expect(whole.exitCode).toBe(1)
    const paged = await compareWith((request, response) => {
      const isSecond = new URL(request.url!, 'http://x').searchParams.get('cursor') === '2011-02-04.0'
      const [data, more] = isSecond ? [made.slice(2), {}] : [made.slice(0, 2), { next_cursor: '2011-02-04.0' }]
      json(pageOf(data, proofOf(made), more))(request, response)
    })
    expect(paged.stderr).toBe('')
    expect(paged.stdout).toContain('flows:   0 of 3 days equal')
  })

  const changed = (change: Partial<Record<keyof DayHashes, unknown>>) => [made[0], { ...made[1], ...change }, made[2]]
  const otherKey = writeKeys('other')
  const wrong: readonly [string, RequestListener, RegExp][] = [
    ['a refusal', (_, response) => response.writeHead(503).end('{}'), /it answered 503 \(GET http/],
    ['no such endpoint', (_, response) => response.writeHead(404).end('{}'), /it answered 404/],
    ['a page for people', (_, response) => response.end('<html>'), /its answer is no JSON/],
    [
      'an end in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-length': '90' }).write('{')
        response.socket?.destroySoon()
      },
      /cannot be compared with: /,
    ],
    ['more than a page', (_, response) => response.end(' '.repeat(8_000_001)), /more than 8.0 MB/],
    ['pages without end', json(pageOf(made, proofOf(made), { next_cursor: '2011-02-02.0' })), /more than 10 pages/],
    ['another form', json({ data: 3 }), /in another form than documented: data: /],
    [
      'a short hash',
      json(pageOf(changed({ flows: 'abc' }), proofOf(made))),
      /another form than documented: data.1.flows: /,
    ],
    [
      'a missing hash',
      json(pageOf(changed({ blocks: null }), proofOf(made))),
      /another form than documented: data.1.blocks: /,
    ],
    [
      'terminal codes',
      json(pageOf(made, proofOf(made), { generation: '\u001b[2J' })),
      /another form than documented: meta.generation: /,
    ],
    [
      'a wrong date',
      json(pageOf(changed({ date: '2011-02-30' }), proofOf(made))),
      /another form than documented: data.1.date: /,
    ],
    ['a missing day', json(pageOf([made[0], made[2]], proofOf(made))), /lists 2011-02-04 after 2011-02-02/],
    ['days out of order', json(pageOf(made.toReversed(), proofOf(made))), /lists 2011-02-03 after 2011-02-04/],
    [
      'a changed day',
      json(pageOf(changed({ days: sha256('other') }), proofOf(made))),
      /lists other hashes than its proof says/,
    ],
    ['no proof', json(pageOf(made, undefined)), /another form than documented: meta.proof: /],
    [
      'another format',
      json(pageOf(made, proofOf(made, { format: 2 }))),
      /hashes days in format 2, this version in format 1/,
    ],
    [
      'another network',
      json(pageOf(made, proofOf(made, { network: 'main' }))),
      /has the history of main, \S+ that of regtest/,
    ],
    [
      'a signature by another key',
      json(pageOf(made, signed(proofOf(made), otherKey.privateKey, keys.encoded))),
      /a signature that is not of its list/,
    ],
    [
      'a signature of another network',
      json(
        pageOf(made, {
          ...signed(proofOf(made, { network: 'main' }), keys.privateKey, keys.encoded),
          network: 'regtest',
        }),
      ),
      /a signature that is not of its list/,
    ],
    [
      'a key that is none',
      json(pageOf(made, signed(proofOf(made), keys.privateKey, Buffer.from('no key')))),
      /a signature that is not of its list/,
    ],
    [
      'no common day',
      json(pageOf([{ ...made[0], date: '2009-01-03' }], proofOf([{ ...made[0]!, date: '2009-01-03' }]))),
      /has no day in common/,
    ],
  ]
  test.each(wrong)('are refused: %s', async (_, answer, message) => {
    const { exitCode, stdout, stderr } = await compareWith(answer)
    expect(stderr).toMatch(message)
    expect(stderr).toContain('[comparison_failed]')
    expect([exitCode, stdout]).toEqual([4, ''])
  })

  test('are not waited for where nobody answers', async () => {
    const server = createServer()
    const url = await listen(server)
    server.close()
    expect(await compare(regtest, url)).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('ECONNREFUSED') })
  })
})
