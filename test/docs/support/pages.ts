import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.join(import.meta.dirname, '..', '..', '..')

/** The Markdown files of a folder by path. */
export const markdownIn = (folder: string, recursive = false): string[] =>
  readdirSync(path.join(root, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')))

/** All pages of the documentation by path. */
export const pages: ReadonlyMap<string, string> = new Map(
  [...markdownIn('.'), ...markdownIn('docs', true), ...markdownIn('clients/typescript')].map((name) => [
    name,
    readFileSync(path.join(root, name), 'utf8'),
  ]),
)

/** A code block of a page. */
export interface CodeBlock {
  /** Page and line. */
  readonly place: string
  readonly page: string
  /** Language of the block, or empty. */
  readonly language: string
  readonly text: string
}

export const codeBlocks: readonly CodeBlock[] = [...pages].flatMap(([page, content]) =>
  [...content.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = '', 2: text = '' }) => ({
    place: `${page}:${content.slice(0, index).split('\n').length}`,
    page,
    language,
    text,
  })),
)

/** A complete shell command without comments. */
export interface ShellCommand {
  readonly place: string
  readonly page: string
  readonly text: string
}

/** The commands of all blocks for a shell. */
export const shellCommands: readonly ShellCommand[] = codeBlocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text, ...block }) =>
    text
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.replace(/\s+#\s.*$/, '').trim())
      .filter((line) => line !== '')
      .map((line) => ({ place: block.place, page: block.page, text: line })),
  )

/** Inline code in sentences and tables. */
export const inlineCode: readonly ShellCommand[] = [...pages].flatMap(([page, content]) =>
  [...content.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, '')).matchAll(/`([^`\n]+)`/g)].map(
    ({ index, 1: text = '' }) => ({ place: `${page}:${content.slice(0, index).split('\n').length}`, page, text }),
  ),
)

/** Matches commands of coinstrata, with their arguments. */
export const ofCoinstrata = /^(?:[A-Z_]+=\S+ )*(?:npm run coinstrata -- |coinstrata )(?=[a-z])(.*)$/

/** Words of a command line without quotes; a substitution is one word. */
export const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/\$\([^)]*\)/g, 'x')
    .trim()
    .split(/\s+/)
