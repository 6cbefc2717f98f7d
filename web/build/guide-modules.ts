import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Part, toText } from '../pages/guides/article.ts'
import { type GuideName, guides } from '../pages/guides/guide-list.ts'
import type { GuideSection } from '../pages/guides/section-search.ts'
import { readArticle } from './read-article.ts'

const project = path.join(import.meta.dirname, '..', '..')

const readSource = (file: string): string => readFileSync(path.join(project, file), 'utf8')

export function readGuide(name: GuideName) {
  const { file } = guides.find((one) => one.name === name)!
  return readArticle(readSource(file), file)
}

export const guideFiles = (): (readonly [GuideName, string])[] =>
  guides.map(({ name, file }) => [name, readSource(file)] as const)

/** For the search. */
export const readSections = (): GuideSection[] =>
  guides.flatMap(({ name, title }) => {
    const sections: { heading: string; id: string; text: string }[] = [{ heading: title, id: '', text: '' }]
    for (const part of readGuide(name).parts) {
      if (typeof part === 'object' && part.id !== undefined && /^h[234]$/.test(part.tag)) {
        sections.push({ heading: toText(part), id: part.id, text: '' })
      } else sections.at(-1)!.text += ` ${spacedText(part)}`
    }
    return sections.map(({ text, ...section }) => ({
      guide: name,
      ...section,
      text: text.replaceAll(/\s+/g, ' ').trim(),
    }))
  })

/** Separates the words of cells and items. */
const spacedText = (part: Part): string => {
  if (typeof part === 'string') return part
  const text = part.parts.map(spacedText).join('')
  return /^(td|th|li|p|pre|br)$/.test(part.tag) ? `${text} ` : text
}

/** Index for language models (llmstxt.org), with addresses below `{{base}}`. */
export const llmsText = (): string => `# Coinstrata

> Bitcoin on-chain analytics from one's own full node: tables, REST API, charts, web pages and tools for AI assistants.

The API describes itself at {{base}}/docs?format=json (OpenAPI 3.1), every metric at {{base}}/v1/metrics, and tools for assistants are at {{base}}/mcp (Model Context Protocol).

## Documentation

${guides.map(({ name, title, summary }) => `- [${title}]({{base}}/docs/${name}.md): ${summary}`).join('\n')}
`

const sqlExample = /^### (.*)\n\n```sql\n([^`]*)\n```$/gm

/**
 * Modules: `guide:NAME` is an `Article`, `guide:articles` has loaders of all, `guide:sections` is
 * for the search.
 */
export const guideModules: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(guides.map(({ name }) => [`guide:${name}`, () => JSON.stringify(readGuide(name))])),
  'guide:articles': () => `{${guides.map(({ name }) => `'${name}': () => import('guide:${name}')`).join()}}`,
  'sql:examples': () => JSON.stringify(Array.from(readSource('docs/sql.md').matchAll(sqlExample), ([, ...one]) => one)),
  'guide:sections': () => JSON.stringify(readSections()),
}
