import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { currentGeneration } from '#sql/generation.ts'
import { publishToStore } from '#store/publish.ts'
import { serveMirror } from './support/served-mirror.ts'
import { describeStore, storeAt, useWriters } from './support/store-cases.ts'

const { writer, idOf, newPlace } = await useWriters()

describeStore(true, { writer, idOf, newPlace })

it('the program serves what it pulls, also while the store is gone, and says so', async () => {
  const place = newPlace()
  await publishToStore(await storeAt(place), writer(0))
  const reader = newPlace()
  const { address, health, until, restart } = await serveMirror(place, reader)
  await until(idOf(0), 'ok')
  // The mirror stands, and the store below it is gone.
  rmSync(place, { recursive: true })
  await until(idOf(0), 'degraded')
  expect((await health()).problems).toMatchObject([{ code: 'pull_failed' }])
  expect((await fetch(`${address}/v1/prices?limit=1`)).status).toBe(200)
  await publishToStore(await storeAt(place), writer(2))
  await until(idOf(2), 'ok')
  expect(currentGeneration(reader)?.generation.id).toBe(idOf(2))
  // Ended while its last pull had failed: the next process finds all well, though there is nothing
  // to pull.
  rmSync(place, { recursive: true })
  await until(idOf(2), 'degraded')
  await restart(async () => publishToStore(await storeAt(place), writer(2)))
  await until(idOf(2), 'ok')
})
