import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { version } from '#base/version.ts'
import { cursorLink, vscodeLink } from '#contract/install-links.ts'

const root = new URL('../../', import.meta.url)
const readText = (file: string): string => readFileSync(new URL(file, root), 'utf8')

/** Decodes as the editor does. */
function decodeCursor(link: string): unknown {
  const { searchParams } = new URL(link)
  return [searchParams.get('name'), JSON.parse(Buffer.from(searchParams.get('config')!, 'base64').toString('utf8'))]
}

const local = 'http://127.0.0.1:3000/mcp'

test.each([local, 'https://chain.example/data~?>/mcp/account'])('links of editors hold the address %s', (url) => {
  expect(cursorLink(url)).toMatch(
    /^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?name=coinstrata&config=[\w%]+$/,
  )
  expect(decodeCursor(cursorLink(url))).toEqual(['coinstrata', { url }])
  const [, config] = /^vscode:mcp\/install\?([^?&=#\s]+)$/.exec(vscodeLink(url))!
  expect(JSON.parse(decodeURIComponent(config!))).toEqual({ name: 'coinstrata', type: 'http', url })
})

test('the buttons of the guide hold the address of a service on this machine', () => {
  const guide = readText('docs/assistants.md')
  const cursor = /https:\/\/cursor\.com\/en\/install-mcp\?[^)\s]+/.exec(guide)!
  expect(decodeCursor(cursor[0])).toEqual(['coinstrata', { url: local }])
  const code = new URL(/https:\/\/vscode\.dev\/redirect\/mcp\/install\?[^)\s]+/.exec(guide)![0])
  expect(code.searchParams.get('name')).toBe('coinstrata')
  expect(JSON.parse(code.searchParams.get('config')!)).toEqual({ type: 'http', url: local })
})

test('the plugin of Claude Code is in the marketplace, of this version, and connects to the address that it asks for', () => {
  const marketplace = z.object({
    name: z.string(),
    plugins: z.tuple([z.object({ name: z.string(), source: z.string() })]),
  })
  const { name, source } = marketplace.parse(JSON.parse(readText('.claude-plugin/marketplace.json'))).plugins[0]
  const option = z.strictObject({
    type: z.literal('string'),
    title: z.string(),
    description: z.string(),
    default: z.literal(local),
    required: z.literal(true),
  })
  const manifest = z.looseObject({
    name: z.literal(name),
    version: z.literal(version),
    userConfig: z.record(z.string(), option),
  })
  const { userConfig } = manifest.parse(JSON.parse(readText(`${source}/.claude-plugin/plugin.json`)))
  const [asked] = Object.keys(userConfig)
  expect(JSON.parse(readText(`${source}/.mcp.json`))).toEqual({
    mcpServers: { coinstrata: { type: 'http', url: `\${user_config.${asked}}` } },
  })
})
