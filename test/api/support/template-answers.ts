import { expect } from 'vitest'
import { templates } from '#render/request/templates.ts'
import { keys, server } from './chain-service.ts'

/**
 * Without what the short chain of the tests cannot show: no price falls far enough, and its only
 * cycle began without one.
 */
export const answeredTemplates = Object.keys(templates).filter((name) => templates[name]!.x_axis !== 'day_offset')

/** Asks for a template, which may say that its metrics have no values. */
export async function expectTemplate(template: string): Promise<void> {
  const headers = keys.get('enterprise')!
  const response = await fetch(`${server.url}/v1/chart/snapshot?template=${template}&format=json`, { headers })
  expect(response.status, await response.clone().text()).toBeOneOf([200, 404])
  if (response.status === 404) expect((await response.json()).message).toContain('there are no values')
}
