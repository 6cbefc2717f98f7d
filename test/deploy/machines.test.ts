import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { settingNames } from '#root/config.ts'
import { temporaryFolder } from '#test/support/program.ts'

const root = path.join(import.meta.dirname, '..', '..')
const folder = path.join(root, 'deploy/machines')
const readText = (name: string): string => readFileSync(path.join(folder, name), 'utf8')
const upstreams = [...readText('coinstrata.conf').matchAll(/^ +server ([\w-]+):(\d+) /gm)].map(([, name, port]) => ({
  name,
  port: Number(port),
}))
/** Services that machines share, by setting; the same wherever they run. */
const shared = {
  PULL_URL: 's3://coinstrata/main',
  RENDERS_URL: 's3://coinstrata/charts',
  REDIS_URL: 'redis://redis:6379',
  TRUST_PROXY: '1',
}
const selectSettings = (names: Iterable<string>): string[] =>
  [...names].filter((name) => !/^(AWS|POSTGRES)_/.test(name))

/** The part of https://github.com/compose-spec/compose-spec that we use. */
const texts = z.array(z.string())
const duration = z.string().regex(/^\d+[sm]$/)
const service = z.strictObject({
  image: z.string().regex(/^[\w./-]+:[\w.-]+$/),
  user: z.literal('redis').optional(),
  entrypoint: texts.optional(),
  command: texts.optional(),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({ condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']) }),
    )
    .default({}),
  environment: z.record(z.string(), z.union([z.string(), z.int()])).default({}),
  ports: z.tuple([z.string().regex(/^127\.0\.0\.1:\$\{COINSTRATA_PORT:-\d+\}:80$/)]).optional(),
  read_only: z.literal(true).optional(),
  tmpfs: texts.optional(),
  cap_drop: z.tuple([z.literal('ALL')]),
  cap_add: texts.optional(),
  security_opt: z.tuple([z.literal('no-new-privileges')]),
  init: z.literal(true).optional(),
  restart: z.enum(['unless-stopped', 'no']),
  stop_grace_period: duration.optional(),
  healthcheck: z
    .union([
      z.strictObject({ disable: z.literal(true) }),
      z.strictObject({ test: texts, interval: duration, timeout: duration, retries: z.int().optional() }),
    ])
    .optional(),
  networks: z.union([
    z.tuple([z.literal('machines')]),
    z.strictObject({ machines: z.strictObject({ ipv4_address: z.ipv4() }) }),
  ]),
  volumes: texts.default([]),
})
const compose = z.looseObject({
  name: z.string(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
})

describe('compose.yaml', () => {
  const { services, volumes } = compose.parse(parse(readText('compose.yaml'), { merge: true }))
  const machines = Object.keys(services).filter((name) => name.startsWith('api-'))

  it('has the machines that the load balancer asks, each with a folder and an address of its own', () => {
    expect(upstreams).toEqual(machines.map((name) => ({ name, port: 3000 })))
    for (const name of machines) {
      expect(services[name]!.volumes).toEqual([`${name}:/data`])
      expect(services[name]!.environment).toMatchObject({ ...shared, TRUST_PROXY: 1 })
      expect(services[name]!.ports).toBeUndefined()
    }
    expect(new Set(machines.map((name) => JSON.stringify(services[name]!.networks))).size).toBe(machines.length)
    expect(services.writer!.environment.PUBLISH_URL).toBe(shared.PULL_URL)
  })

  it('gives settings that there are, and mounts and awaits what there is', () => {
    for (const name of [...machines, 'writer'])
      expect([...settingNames]).toEqual(
        expect.arrayContaining(selectSettings(Object.keys(services[name]!.environment))),
      )
    for (const one of Object.values(services)) {
      for (const volume of one.volumes) {
        const [from = ''] = volume.split(':')
        if (from.startsWith('.')) expect(existsSync(path.join(folder, from)), volume).toBe(true)
        else expect(Object.keys(volumes)).toContain(from)
      }
      for (const [name, { condition }] of Object.entries(one.depends_on)) {
        expect(Object.keys(services)).toContain(name)
        if (condition === 'service_healthy') expect(services[name]!.healthcheck).toHaveProperty('test')
      }
    }
  })
})

const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({}).optional(),
})
const variable = z.looseObject({ name: z.string(), value: z.string().optional() })
const workload = z.looseObject({
  replicas: z.int(),
  ordinals: z.looseObject({ start: z.int() }).optional(),
  template: z.looseObject({
    spec: z.looseObject({
      enableServiceLinks: z.literal(false),
      containers: z.tuple([z.looseObject({ image: z.string(), env: z.array(variable).default([]) })]),
    }),
  }),
})

describe('the manifests of Kubernetes', () => {
  const files = globSync('kubernetes/*.yaml', { cwd: folder })
  const read = (text: string) =>
    parseAllDocuments(text).map((document) => manifest.parse(document.toJS({ maxAliasCount: 100 })))
  const all = files.flatMap((name) => read(readText(name)))
  const specOf = (kind: string, name: string) =>
    all.find((one) => one.kind === kind && one.metadata.name === name)?.spec
  const settings = (name: string) => {
    const { env } = workload.parse(specOf('StatefulSet', name)).template.spec.containers[0]
    return new Map(env.map((one) => [one.name, one.value]))
  }

  it('have the machines that the load balancer asks, and the settings that Compose gives', () => {
    const { replicas, ordinals } = workload.parse(specOf('StatefulSet', 'api'))
    const machines = Array.from({ length: replicas }, (_, i) => `api-${(ordinals?.start ?? 0) + i}`)
    expect(upstreams).toEqual(machines.map((name) => ({ name, port: 3000 })))
    for (const name of machines)
      expect(specOf('Service', name)).toMatchObject({
        selector: { 'statefulset.kubernetes.io/pod-name': name },
        ports: [{ port: 3000 }],
      })
    const given = settings('api')
    for (const [name, value] of Object.entries(shared)) expect([name, given.get(name)]).toEqual([name, value])
    expect(settings('writer').get('PUBLISH_URL')).toBe(shared.PULL_URL)
    for (const name of ['api', 'writer'])
      expect([...settingNames]).toEqual(expect.arrayContaining(selectSettings(settings(name).keys())))
  })

  it('are all of the customization, with the images of Compose and no variables of services', () => {
    const { resources, images } = z
      .looseObject({ resources: texts, images: z.array(z.looseObject({ newName: z.string(), newTag: z.string() })) })
      .parse(parse(readText('kustomization.yaml')))
    expect([...resources].sort()).toEqual([...files].sort())
    const { services } = compose.parse(parse(readText('compose.yaml'), { merge: true }))
    const ofCompose = Object.values(services).map(({ image }) => image)
    expect(ofCompose).toEqual(expect.arrayContaining(images.map(({ newName, newTag }) => `${newName}:${newTag}`)))
    for (const { kind, spec } of all) {
      if (kind !== 'StatefulSet' && kind !== 'Deployment') continue
      const [{ image }] = workload.parse(spec).template.spec.containers
      if (image !== 'coinstrata') expect(ofCompose).toContain(image)
    }
  })

  it.skipIf(spawnSync('kubectl', ['version', '--client']).status !== 0)('are put together by kubectl', () => {
    const copy = temporaryFolder('manifests')
    try {
      cpSync(folder, copy, { recursive: true })
      writeFileSync(path.join(copy, 'secrets.env'), 'POSTGRES_PASSWORD=one\nS3_PASSWORD=other\nSECRETS_KEY=third\n')
      const { stdout, stderr } = spawnSync('kubectl', ['kustomize', copy], { encoding: 'utf8' })
      const built = read(stdout)
      expect(built.length, stderr).toBe(all.length + 3)
      // Generated resources have a hash in their name.
      for (const name of ['balancer', 'store', 'passwords']) {
        const made = built.filter(
          ({ kind, metadata }) => /Map|Secret/.test(kind) && metadata.name.startsWith(`${name}-`),
        )
        expect(made).toHaveLength(1)
        expect(stdout.split(made[0]!.metadata.name).length).toBeGreaterThan(2)
      }
      expect(stdout).not.toMatch(/image: coinstrata$/m)
    } finally {
      rmSync(copy, { recursive: true })
    }
  })
})

it('the image has the versions that are tested, on the Node of the other', () => {
  const { devDependencies } = z
    .object({ devDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')))
  const dockerfile = readText('Dockerfile')
  const [, installed = ''] = /^RUN npm install ((?:--\S+ )+.*)$/m.exec(dockerfile) ?? []
  const packages = installed.split(' ').filter((word) => !word.startsWith('--'))
  expect(packages).toEqual(
    ['@aws-sdk/client-s3', '@redis/client', 'pg'].map((name) => `${name}@${devDependencies[name]}`),
  )
  const nodeOf = (text: string) => /^ARG NODE=(.*)$/m.exec(text)?.[1]
  expect(nodeOf(dockerfile)).toBe(nodeOf(readFileSync(path.join(root, 'Dockerfile'), 'utf8')))
})
