// Prints the section of CHANGELOG.md about a version, for its release notes:
// node .ci/release-notes.ts v1.0.0
// Exits with 1 if the tag does not match package.json, or the section has no date yet.
import { readFileSync } from 'node:fs'
import { z } from 'zod'

const root = new URL('../', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, root), 'utf8')
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')))
const [tag = ''] = process.argv.slice(2)

const sections = read(process.env.CHANGELOG ?? 'CHANGELOG.md').split(/^## /m)
const section = sections.find((text) => text.startsWith(`${version} (`)) ?? ''
const [heading = '', ...lines] = section.split('\n')

const wrong = (): string | undefined => {
  if (tag !== `v${version}`) return `the tag is ${tag || 'missing'}, and package.json has version ${version}`
  if (section === '') return `CHANGELOG.md has no section "## ${version} (date)"`
  if (!/\(\d{4}-\d\d-\d\d\)$/.test(heading)) return `CHANGELOG.md gives ${version} no date: "${heading}"`
  return undefined
}
const problem = wrong()
if (problem === undefined) console.log(lines.join('\n').trim())
else {
  console.error(problem)
  process.exitCode = 1
}
