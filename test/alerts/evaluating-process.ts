/**
 * From its first message on, evaluates the alerts of a data folder on as many days as a file says,
 * until it is killed.
 */
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { z } from 'zod'
import { SqliteAccounts } from '#accounts/database/sqlite.ts'
import { openSecretsKey } from '#accounts/secrets-key.ts'
import { anyTargets } from '#accounts/webhooks/target.ts'
import { AlertService } from '#alerts/alert-service.ts'
import { Alerts } from '#alerts/alerts.ts'
import { createMailer } from '#base/mailer.ts'
import { flippingSeries } from './flipping-series.ts'

const { dataDir, daysFile, mailPort, claimMs } = z
  .object({ dataDir: z.string(), daysFile: z.string(), mailPort: z.int(), claimMs: z.int() })
  .parse(JSON.parse(process.argv[2] ?? ''))
const log = pino({ level: 'error' }, process.stderr)
const publicUrl = 'https://chain.example'
const mail = { MAIL_URL: `smtp://127.0.0.1:${mailPort}`, MAIL_FROM: 'alerts@chain.example', PUBLIC_URL: publicUrl }
const readDays = (): string => readFileSync(daysFile, 'utf8')

const service = new AlertService({
  alerts: new Alerts(SqliteAccounts.open(dataDir), true),
  isOpen: true,
  readVersion: async () => readDays(),
  readStaleness: async () => undefined,
  readSeries: async (_, { metric = '' }) => flippingSeries(metric, Number(readDays())),
  mailer: createMailer(mail, log),
  mailTo: 'operator@chain.example',
  policy: anyTargets,
  publicUrl,
  secretsKey: openSecretsKey(dataDir, Buffer.alloc(32).toString('base64')),
  times: { pollMs: 2, attemptMs: 60_000, firstRetryMs: 20, claimMs },
  version: '0',
  log,
})
process.on('message', () => service.start())
