import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { errorCodes } from '#base/error-codes.ts'
import { problemCodes } from '#contract/operational-state.ts'

const deploy = path.join(import.meta.dirname, '..', '..', 'deploy')
const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-deploy-'))
afterAll(() => rmSync(folder, { recursive: true }))

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const run = (program: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return { status, says: stdout + stderr }
}

describe.skipIf(!has('systemd-analyze'))('the units of systemd', () => {
  it('are understood whole', () => {
    const units = readdirSync(path.join(deploy, 'systemd'))
    for (const name of units) {
      const text = readFileSync(path.join(deploy, 'systemd', name), 'utf8')
      // The program is not installed here.
      writeFileSync(path.join(folder, name), text.replaceAll('/usr/bin/coinstrata', process.execPath))
    }
    const { status, says } = run('systemd-analyze', 'verify', ...units.map((name) => path.join(folder, name)))
    // Complaints of units of this machine are none of ours.
    expect(says.split('\n').filter((line) => line.includes('coinstrata'))).toEqual([])
    expect(status).toBe(0)
  })
})

describe('the alerts for Prometheus', () => {
  const rules = readFileSync(path.join(deploy, 'prometheus', 'alerts.yml'), 'utf8')

  it('name error codes that there are', () => {
    const codes = [...rules.matchAll(/code[=!]~?"([\w|]+)"/g)].flatMap(([, text = '']) => text.split('|'))
    const known = [...errorCodes, ...problemCodes, 'stopped']
    for (const code of codes) expect(known).toContain(code)
  })

  describe.skipIf(!has('promtool'))('by promtool', () => {
    it('fire for the faults that they are for, and none on a healthy day', () => {
      const file = (name: string): string => path.join(deploy, 'prometheus', name)
      expect(run('promtool', 'check', 'rules', file('alerts.yml')).status).toBe(0)
      for (const config of ['prometheus/prometheus.yml', 'machines/prometheus.yml'])
        expect(run('promtool', 'check', 'config', path.join(deploy, config))).toMatchObject({ status: 0 })
      const { status, says } = run('promtool', 'test', 'rules', file('alerts.test.yml'))
      expect(status, says).toBe(0)
      // Each alert is asked for on a healthy day, and somewhere it fires.
      const tests = readFileSync(file('alerts.test.yml'), 'utf8')
      for (const [, alert] of rules.matchAll(/- alert: (\w+)/g)) {
        expect(tests).toContain(`{ alertname: ${alert}, eval_time: 1d }`)
        expect(tests).toMatch(new RegExp(`- alertname: ${alert}\\n\\s+eval_time: \\w+\\n\\s+exp_alerts:`))
      }
    })
  })
})
