import { z } from 'zod'

const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
export const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max)
const port = wholeNumber(0, 65_535)
const requestsPerDay = wholeNumber(1, 1_000_000_000)

/** `true` is refused: it would let callers choose their own address. */
const trustProxy = z
  .string()
  .regex(/^(\d|[\w.:/]+(, *[\w.:/]+)*)?$/, 'must be a number of proxies (1 to 9) or their addresses')
  .refine((text) => !['true', 'yes', 'on'].includes(text), 'must be a number of proxies or their addresses, not true')
  .transform((text) => (/^\d$/.test(text) ? Number(text) : text))

const agePattern = /^([1-9]\d{0,4})([mhd])$/
const unitLengths: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** An age such as 26h in ms. */
export function parseAge(age: string): number {
  const [, count = '', unit = ''] = agePattern.exec(age) ?? []
  return Number(count) * (unitLengths[unit] ?? Number.NaN)
}

const servedPaths = ['v1', 'docs', 'health', 'mcp', 'oauth', '.well-known', 'assets']
const basePath = z
  .string()
  .transform((text) => text.replace(/\/+$/, ''))
  .refine((text) => /^(\/[\w.~-]+)*$/.test(text), 'must be a path such as /coinstrata')
  .refine((text) => !servedPaths.includes(text.split('/')[1] ?? ''), `must not begin with ${servedPaths.join(', ')}`)

export const apiSettings = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('address on which the API listens'),
  PORT: port.default(3000).describe('port of the API; 0 takes any free one'),
  ACCESS: z
    .enum(['tiered', 'open'])
    .default('tiered')
    .describe('`tiered`: keys, tiers and limits; `open`: everything is allowed to everyone, for a private machine'),
  OPEN_TO_NETWORK: flag
    .default(false)
    .describe('with `ACCESS=open`: `true` listens on other addresses than loopback all the same'),
  SIGN_UP: z
    .enum(['open', 'invited', 'off'])
    .default('invited')
    .describe(
      'who may make an account of tier free: everybody (`open`), whom `coinstrata accounts reset-link` gives a link (`invited`), or nobody (`off`)',
    ),
  MAIL_URL: z
    .url({ protocol: /^smtps?$/, hostname: /./, error: 'must be smtp://user:password@host:587 or smtps://…:465' })
    .optional()
    .describe(
      'mail server, `smtp://user:password@host:587` or `smtps://…:465`; with `SIGN_UP=open`, people then sign up, and choose a new password, with a link that is mailed to them; needs `MAIL_FROM` and `PUBLIC_URL`',
    ),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>@,;"\p{Cc}]+ <[^\s<>@,;"]+@[^\s<>@,;"]+>|[^\s<>@,;"]+@[^\s<>@,;"]+)$/u, 'must be an e-mail address')
    .optional()
    .describe('sender of mails: `coinstrata@example.org` or `Coinstrata <coinstrata@example.org>`'),
  ALERTS_TO: z
    .email('must be an e-mail address')
    .optional()
    .describe(
      'receiver of mail from alerts with `ACCESS=open`; needs `MAIL_URL`. Otherwise they are mailed to their accounts',
    ),
  BASE_PATH: basePath
    .default('')
    .describe(
      'path of a reverse proxy below which all is served, such as `/coinstrata`, whether the proxy takes it off or not; that of `PUBLIC_URL` unless set',
    ),
  TRUST_PROXY: trustProxy
    .default('')
    .describe(
      'number of proxies in front, or their addresses: callers are then identified by `X-Forwarded-For`, with or without ports, or else by `Forwarded`',
    ),
  HSTS_SUBDOMAINS: flag
    .default(false)
    .describe('`true`: browsers use https for all subdomains too (`includeSubDomains` of Strict-Transport-Security)'),
  REQUESTS_PER_MINUTE: wholeNumber(2, 1_000_000)
    .default(100)
    .describe(
      'requests per minute, caller and endpoint; `/v1/utxo/history` allows half, sign-in and similar a tenth, `/v1/tables/…` ten times as many, `/mcp` three times as many messages',
    ),
  DEMO_DAILY_REQUESTS: requestsPerDay.default(1_000).describe('requests a day (UTC) of an address without a key'),
  FREE_DAILY_REQUESTS: requestsPerDay.default(2_000).describe('the same of a signed-in free account'),
  PRO_DAILY_REQUESTS: requestsPerDay.default(10_000).describe('the same of an account of tier pro'),
  ENTERPRISE_DAILY_REQUESTS: requestsPerDay.default(100_000).describe('the same of an account of tier enterprise'),
  CELLS_PER_MINUTE: wholeNumber(1_000, 1_000_000_000_000)
    .default(50_000_000)
    .describe(
      'cells (values of rows) that may be read or computed per minute for an account of tier pro; tier enterprise may have twice as many, other tiers a fifth',
    ),
  RENDER_SECONDS_PER_MINUTE: z.coerce
    .number()
    .min(1)
    .max(1_000_000)
    .default(30)
    .describe(
      'seconds of drawing charts per minute for an account of tier pro; other tiers have the same shares as for `CELLS_PER_MINUTE`',
    ),
  MEGABYTES_IN_FLIGHT: wholeNumber(1, 100_000)
    .default(256)
    .describe('megabytes of answers sent at one time; above this, no new answer starts; one caller may use a quarter'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')
    .optional()
    .describe(
      'PostgreSQL database in which several machines share accounts, `postgresql://user:password@host:5432/database`; without it, accounts are in the data folder',
    ),
  SECRETS_KEY: z
    .string()
    .regex(/^[\w+/-]{43}=?$/, 'must be 32 bytes in base64, as "openssl rand -base64 32" prints them')
    .optional()
    .describe(
      'key of the secrets of one-time codes and of links in mails of alerts, 32 bytes in base64; by default in `state/secrets.key`',
    ),
  REDIS_URL: z
    .string()
    .optional()
    .describe(
      'Redis server through which several machines share limits: `redis://host:6379`, `rediss://user:password@host:6379/0`',
    ),
  EVENT_LISTENERS: wholeNumber(1, 100_000)
    .default(2_000)
    .describe('connections to `/v1/events` at a time, of all callers'),
  WEBHOOKS: z
    .enum(['public', 'any', 'off'])
    .default('public')
    .describe(
      'where accounts may have events and alerts sent to: hosts of the internet over https (`public`), also private addresses and plain http (`any`), or nowhere (`off`)',
    ),
  WALLETS_ACCOUNT: z
    .email('must be an e-mail address')
    .optional()
    .describe(
      'e-mail address of the account that sees the wallets of the operator and saves metrics, once it has signed in; without it both work over loopback only',
    ),
  MAX_AGE: z
    .string()
    .regex(agePattern, 'must be a number of minutes, hours or days, such as 90m, 26h or 2d')
    .default('26h')
    .describe(
      'age of the newest block from which on `/health`, `status` and the figures for Prometheus call data stale',
    ),
  METRICS_PORT: port.optional().describe('port of Prometheus metrics at `/metrics`; not served without it'),
  CHART_DEMO: z
    .enum(['on', 'off'])
    .default('off')
    .describe('`on`: callers without a key may draw charts of 60 days of basic metrics'),
})

export type ApiSettings = z.infer<typeof apiSettings>
