import { readdirSync, readlinkSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { writeToday } from '#compute/live/write-today.ts'
import { publishedFolder, todayLink } from '#sql/generation.ts'
import { withSession } from '#sql/session.ts'
import { chain, keys, serveChain, server } from './support/chain-service.ts'
import { lastDay, openDay } from './support/served-chain.ts'

serveChain()

const ask = async (headers: Record<string, string> = keys.get('pro')!) => {
  const response = await fetch(`${server.url}/v1/today`, { headers })
  return { status: response.status, etag: response.headers.get('etag') ?? '', text: await response.text() }
}
const put = (day: number, changes: Record<string, string | number> = {}): Promise<void> =>
  withSession({ temporaryFolder: path.join(chain.dataDir, 'tmp') }, (connection) =>
    writeToday(connection, chain.dataDir, { ...openDay(day), ...changes }),
  )

test('the row changes within a generation, and its ETag with it', async () => {
  await put(lastDay + 1, { as_of_height: 5, updated_at: '2026-01-01T00:00:01Z' })
  const first = await ask()
  expect(JSON.parse(first.text).data).toMatchObject([
    { as_of_height: 5, provisional: true, updated_at: '2026-01-01T00:00:01.000Z' },
  ])
  expect((await ask({ ...keys.get('pro')!, 'if-none-match': first.etag })).status).toBe(304)

  await put(lastDay + 1, { as_of_height: 6, updated_at: '2026-01-01T00:00:02Z' })
  const second = await ask({ ...keys.get('pro')!, 'if-none-match': first.etag })
  expect(second.status).toBe(200)
  expect(JSON.parse(second.text).data).toMatchObject([{ as_of_height: 6 }])
})

test('the five newest files stay, since readers may have one open that is not the newest', async () => {
  const link = todayLink(publishedFolder(chain.dataDir))
  const files = () => readdirSync(path.dirname(link)).filter((name) => name !== path.basename(link))
  const newest: string[] = []
  for (let height = 7; height < 14; height++) {
    await put(lastDay + 1, { as_of_height: height })
    newest.push(readlinkSync(link))
  }
  expect(files().sort()).toEqual(newest.slice(-5))
})

test('a row of a day that has been published since is not shown any more, and says why', async () => {
  await put(lastDay)
  const { status, text } = await ask()
  expect(status).toBe(200)
  expect(JSON.parse(text)).toMatchObject({
    count: 0,
    data: [],
    meta: { note: expect.stringContaining('not followed') },
  })
})

test('there is none where the node was never followed', async () => {
  rmSync(path.dirname(todayLink(publishedFolder(chain.dataDir))), { recursive: true })
  expect(JSON.parse((await ask()).text)).toMatchObject({ count: 0, data: [] })
})
