import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readSettings, settingNames } from '#root/config.ts'

const root = path.join(import.meta.dirname, '..', '..')
const texts = z.array(z.string())

/** The part of https://github.com/compose-spec/compose-spec that we use. */
const service = z.strictObject({
  image: z.string().regex(/^[\w./-]+:[\w.-]+$/),
  build: z.literal('.').optional(),
  user: z.string().optional(),
  entrypoint: texts.optional(),
  command: texts.optional(),
  network_mode: z.literal('none').optional(),
  profiles: z.array(z.literal('monitoring')).optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']) }),
    )
    .optional(),
  environment: z.record(z.string(), z.union([z.string(), z.int()])).optional(),
  env_file: z.array(z.strictObject({ path: z.string(), required: z.literal(false) })).optional(),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\$\{\w+:-\d+\}:\d+$/)).optional(),
  read_only: z.literal(true).optional(),
  tmpfs: texts.optional(),
  cap_drop: z.tuple([z.literal('ALL')]),
  cap_add: texts.optional(),
  security_opt: z.tuple([z.literal('no-new-privileges')]).optional(),
  init: z.literal(true).optional(),
  restart: z.literal('unless-stopped').optional(),
  stop_grace_period: z
    .string()
    .regex(/^\d+[sm]$/)
    .optional(),
  healthcheck: z
    .union([
      z.strictObject({ disable: z.literal(true) }),
      z.strictObject({
        test: z.tuple([z.literal('CMD')], z.string()),
        interval: z.string(),
        timeout: z.string(),
        start_period: z.string(),
        start_interval: z.string(),
      }),
    ])
    .optional(),
  volumes: z.array(z.string()),
})
const compose = z
  .strictObject({
    name: z.string(),
    services: z.strictObject({
      permissions: service,
      bitcoin: service,
      coinstrata: service,
      prometheus: service,
      grafana: service,
    }),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(readFileSync(path.join(root, 'compose.yaml'), 'utf8')))
const { services } = compose
const all = Object.values(services)

describe('compose.yaml', () => {
  it('mounts what there is, and the node for reading only', () => {
    for (const volume of all.flatMap(({ volumes }) => volumes)) {
      const [from = ''] = volume.split(':')
      if (from.startsWith('.')) expect(existsSync(path.join(root, from)), volume).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(from)
    }
    expect(services.coinstrata).toMatchObject({ read_only: true, init: true })
    expect(services.coinstrata.volumes).toEqual(['coinstrata:/data', 'bitcoin:/bitcoin:ro', 'dumps:/dumps'])
    // Under the same path, which the node must know.
    expect(services.bitcoin.volumes).toContain('dumps:/dumps')
    expect(services.coinstrata.environment).toMatchObject({ DUMP_FOLDER: '/dumps' })
    for (const { depends_on = {} } of all)
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(depends_on)))
  })

  it('starts after a node that answers, asked as it is started', () => {
    expect(services.coinstrata.depends_on).toEqual({ bitcoin: { condition: 'service_healthy' } })
    const { healthcheck, command = [] } = services.bitcoin
    const [, program, ...options] = healthcheck && 'test' in healthcheck ? healthcheck.test : []
    expect([program, options.at(-1)]).toEqual(['bitcoin-cli', 'getblockcount'])
    expect(command).toEqual(expect.arrayContaining(options.slice(0, -1)))
  })

  it('gives settings that there are, and one variable for the chain of both', () => {
    const { environment = {} } = services.coinstrata
    expect([...settingNames]).toEqual(expect.arrayContaining(Object.keys(environment)))
    expect(services.bitcoin.command).toContain(`-chain=${environment.BITCOIN_NETWORK}`)
    expect(environment.BITCOIN_NETWORK).toBe('${' + 'BITCOIN_NETWORK:-signet}')
    const networkOf = (BITCOIN_NETWORK: string): string => readSettings({}, { BITCOIN_NETWORK }).BITCOIN_NETWORK
    // As Bitcoin Core calls its chains (chainTypeNames in util/chaintype.cpp), and as Umbrel calls
    // them.
    const core = ['main', 'test', 'testnet4', 'signet', 'regtest', 'mainnet', 'testnet'].map(networkOf)
    expect(core).toEqual(['mainnet', 'testnet3', 'testnet4', 'signet', 'regtest', 'mainnet', 'testnet3'])
    expect(services.bitcoin.command).toContain(`-rpcport=${new URL(String(environment.BITCOIN_RPC_URL)).port}`)
  })

  it('lets Prometheus ask where figures are served, and Grafana where Prometheus is', () => {
    const figures = `coinstrata:${services.coinstrata.environment?.METRICS_PORT}`
    expect(readFileSync(path.join(root, 'deploy/prometheus/prometheus.yml'), 'utf8')).toContain(`["${figures}"]`)
    const provisioning = path.join(root, 'deploy/grafana/provisioning')
    const sources = parse(readFileSync(path.join(provisioning, 'datasources/prometheus.yml'), 'utf8'))
    expect(sources.datasources[0].url).toBe('http://prometheus:9090')
    const boards = parse(readFileSync(path.join(provisioning, 'dashboards/coinstrata.yml'), 'utf8'))
    expect(services.grafana.volumes).toContain(`./deploy/grafana/dashboards:${boards.providers[0].options.path}:ro`)
  })
})
