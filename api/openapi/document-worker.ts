import { parentPort, workerData } from 'node:worker_threads'
import { openApiDocument } from './document.ts'

parentPort?.postMessage(JSON.stringify(openApiDocument(workerData)))
