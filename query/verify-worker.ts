import { parentPort, workerData } from 'node:worker_threads'
import { findDamagedTables } from '#sql/file-digest.ts'

parentPort?.postMessage(await findDamagedTables(workerData.opened, workerData.pauseMs))
