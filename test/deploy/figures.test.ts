import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { recordFollowing } from '#state/following.ts'
import { RunJournal } from '#state/run-journal.ts'
import { recordAttempt } from '#state/source-attempts.ts'
import { serveOwnFolder, server } from '#test/api/support/own-service.ts'
import { publishSmallGeneration } from '#test/api/support/small-generation.ts'

const deploy = path.join(import.meta.dirname, '..', '..', 'deploy')
const read = (...names: readonly string[]): string => readFileSync(path.join(deploy, ...names), 'utf8')

/**
 * Labels that Prometheus itself gives every figure; those of the same name that a service sends are
 * renamed by it.
 */
const ownLabels = ['job', 'instance']
/** A figure of Prometheus itself. */
const isUp = /^up\{/

serveOwnFolder({ METRICS_PORT: '0' }, async (folder) => {
  await publishSmallGeneration(folder)
  const journal = new RunJournal(folder)
  journal.end(journal.begin('update'), 'ok', null)
  journal.end(journal.begin('compute'), 'failed', 'no room', 'disk_full')
  journal.begin('follow')
  recordFollowing(folder)({ nodeHeight: 7, unreachableSince: Date.now() - 90_000 })
  journal.setDue('update', Date.now() + 60_000)
  journal.close()
  recordAttempt(folder, 'deribit', { at: 1, outcome: 'ok' })
})

/** Labels of each figure that a service with a run, a problem and a source tells. */
let told: ReadonlyMap<string, ReadonlySet<string>>
beforeAll(async () => {
  await fetch(`${server.url}/v1/prices`)
  const text = await (await fetch(server.metricsUrl ?? '')).text()
  const declared = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => [name, ''] as const)
  const samples = [...text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)].map(
    ([, name = '', of = '']) => [name, of] as const,
  )
  told = new Map(
    [...Map.groupBy([...declared, ...samples], ([name]) => name)].map(([name, ofName]) => [
      name,
      new Set(ofName.flatMap(([, labels]) => [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label))),
    ]),
  )
})

const targets = z.array(z.object({ expr: z.string(), legendFormat: z.string() }))
const panels = z.array(z.object({ title: z.string(), targets: targets.optional() }))

/** Every expression, with the labels that are named beside it in texts. */
function expressions(): { expression: string; inText: string[] }[] {
  const rules = read('prometheus', 'alerts.yml').split('- alert: ').slice(1)
  const alerts = rules.map((rule) => {
    const [, expression = ''] = /expr: (?:>-\n)?([\s\S]*?)\n {8}\w+:/.exec(rule) ?? []
    return { expression, inText: [...rule.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label) }
  })
  const dashboard = z.object({ panels }).parse(JSON.parse(read('grafana', 'dashboards', 'coinstrata.json')))
  const drawn = dashboard.panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ expr, legendFormat }) => ({
      expression: expr,
      inText: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
    })),
  )
  return [...alerts, ...drawn]
}

describe('alerts and dashboard', () => {
  it('name figures and labels that a service tells', () => {
    const all = expressions()
    expect(all.length).toBeGreaterThan(30)
    for (const { expression, inText } of all) {
      if (isUp.test(expression)) continue
      const figures = [...expression.matchAll(/\b((?:coinstrata|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
      expect(figures, expression).not.toEqual([])
      for (const [, name = '', matchers = ''] of figures) {
        expect(told.has(name), name).toBe(true)
        const labels = [...matchers.matchAll(/(\w+)[=!]~?"/g)].map(([, label = '']) => label)
        expect([...ownLabels, ...(told.get(name) ?? [])], expression).toEqual(expect.arrayContaining(labels))
      }
      const ofFigures = [...ownLabels, ...figures.flatMap(([, name = '']) => [...(told.get(name) ?? [])])]
      const grouped = [...expression.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, text = '']) => text.split(/, */))
      expect(ofFigures, expression).toEqual(expect.arrayContaining([...grouped, ...inText]))
    }
  })

  it('rest on no label that Prometheus would rename', () => {
    for (const labels of told.values()) for (const label of ownLabels) expect([...labels]).not.toContain(label)
  })

  it('show every figure of the service', () => {
    const shown = expressions().map(({ expression }) => expression)
    const own = [...told.keys()].filter((name) => name.startsWith('coinstrata_') && name !== 'coinstrata_build_info')
    expect(own.length).toBeGreaterThan(15)
    expect(own.filter((name) => !shown.some((expression) => expression.includes(name)))).toEqual([])
  })
})
