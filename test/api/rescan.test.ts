import { afterAll, expect, test } from 'vitest'
import { accountActions } from '#contract/accounts/actions.ts'
import { readRescan, recordRescan } from '#state/rescan.ts'
import { bearer, keyOf, serve, signIn, temporaryDataDir } from './support/test-server.ts'

const { path } = accountActions.allowRescan
const { dataDir, remove } = temporaryDataDir()
afterAll(remove)
const waiting = { why: 'the lists of labels have 2 new addresses', effort: 'all blocks are read again, 800 GB' }
const isAllowed = (): boolean | undefined => readRescan(dataDir)?.isAllowed

const post = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url + path, { method: 'POST', headers })
  return { status: response.status, body: await response.json() }
}

test('under open access, pages of this service and programs allow a second scan, once', async () => {
  let calls = 0
  const server = await serve(dataDir, { ACCESS: 'open' }, { onRescanAllowed: () => calls++ })
  try {
    expect(await post(server.url)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    recordRescan(dataDir, { ...waiting, isAllowed: false })
    const others = [{ origin: 'https://example.org' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }]
    for (const headers of others) expect((await post(server.url, headers)).status).toBe(403)
    expect((await fetch(server.url + path)).status).toBe(405)
    expect([isAllowed(), calls]).toEqual([false, 0])
    expect(await post(server.url, { origin: server.url })).toMatchObject({ status: 200, body: { data: [waiting] } })
    expect([isAllowed(), calls]).toEqual([true, 1])
    expect((await post(server.url)).status).toBe(404)
    expect(calls).toBe(1)
  } finally {
    await server.close()
  }
})

test('with accounts, nobody does', async () => {
  recordRescan(dataDir, { ...waiting, isAllowed: false })
  const server = await serve(dataDir)
  try {
    const callers = [
      {},
      bearer(await keyOf(dataDir, 'enterprise')),
      { cookie: await signIn(server, dataDir, 'one@example.org', 'enterprise'), origin: server.url },
    ]
    for (const headers of callers) {
      expect(await post(server.url, headers)).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('coinstrata update --yes') },
      })
    }
    expect(isAllowed()).toBe(false)
  } finally {
    await server.close()
  }
})
