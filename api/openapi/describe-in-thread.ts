import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { shareSuccess } from '#base/shared-promises.ts'
import type { Served } from './document.ts'

const documents = new Map<string, Promise<Buffer>>()

/** JSON of `openApiDocument`, made once: requests would wait for it for a quarter of a second. */
export const describeInThread = (served: Served): Promise<Buffer> =>
  shareSuccess(documents, JSON.stringify(served), async () => {
    const worker = new Worker(new URL('./document-worker.ts', import.meta.url), { workerData: served })
    const [text] = await once(worker, 'message')
    return Buffer.from(String(text))
  })
