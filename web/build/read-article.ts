import path from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import { type Article, type Element, type Part, toText } from '../pages/guides/article.ts'
import { guides } from '../pages/guides/guide-list.ts'

/** Pages that replace a file. */
const shownBy: Readonly<Record<string, string>> = {
  'docs/metrics/README.md': '/metrics',
  'docs/README.md': '/guides',
  docs: '/guides',
}

/** Metrics of one category, each under its id. */
const metricsFile = /^docs\/metrics\/[a-z_]+\.md$/

/**
 * Parses Markdown. Fails on HTML and other content that guides cannot show. `file`: path in the
 * project.
 */
export function readArticle(markdown: string, file: string): Article {
  const used = new Map<string, number>()
  const createId = (text: string): string => {
    const id = toSlug(text)
    const count = used.get(id) ?? 0
    used.set(id, count + 1)
    return count === 0 ? id : `${id}-${count}`
  }
  const context = { file, createId }
  const [title, ...parts] = lexer(markdown).flatMap((token) => toParts(token, context))
  if (typeof title !== 'object' || title.tag !== 'h1') throw new Error(`${file} does not begin with a title`)
  return { title: toText(title), parts }
}

interface Context {
  readonly file: string
  readonly createId: (text: string) => string
}

const element = (tag: Element['tag'], parts: readonly Part[]): Element => ({ tag, parts })

/** Paragraphs of images only are empty; link targets (with an id) are not. */
const isEmpty = (part: Part): boolean =>
  typeof part === 'string' ? part.trim() === '' : part.id === undefined && part.parts.every(isEmpty)
const unlessEmpty = (one: Element): Element[] => (isEmpty(one) ? [] : [one])

function toParts(token: Token, context: Context): Part[] {
  const inner = (tokens: readonly Token[] = []): Part[] => tokens.flatMap((one) => toParts(one, context))
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading
      const heading = element(`h${Math.min(depth, 4)}` as 'h1', inner(tokens))
      return [{ ...heading, id: context.createId(toText(heading)) }]
    }
    case 'paragraph':
      return unlessEmpty(element('p', inner(token.tokens)))
    // Images show the app itself.
    case 'image':
      return []
    case 'text':
      return token.tokens ? inner(token.tokens) : [decodeEntities(token.text)]
    case 'escape':
      return [token.text]
    case 'codespan':
      return [element('code', [token.text])]
    case 'strong':
    case 'em':
      return [element(token.type, inner(token.tokens))]
    case 'br':
    case 'hr':
      return [element(token.type, [])]
    case 'blockquote':
      return [element('blockquote', inner(token.tokens))]
    case 'code':
      return [element('pre', [element('code', [token.text])])]
    case 'list': {
      const { ordered, items } = token as Tokens.List
      return [
        element(
          ordered ? 'ol' : 'ul',
          items.map(({ tokens }) => element('li', inner(tokens))),
        ),
      ]
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table
      const cell = (tag: 'th' | 'td') => (one: Tokens.TableCell) => ({
        ...element(tag, inner(one.tokens)),
        ...(one.align === 'right' && { isNumber: true as const }),
      })
      return unlessEmpty(
        element('table', [
          element('tr', header.map(cell('th'))),
          ...rows.map((row) => element('tr', row.map(cell('td')))),
        ]),
      )
    }
    case 'link': {
      const { href, tokens } = token as Tokens.Link
      const target = resolveLink(href, context.file)
      return target === undefined ? inner(tokens) : [{ ...element('a', inner(tokens)), href: target }]
    }
    case 'html': {
      // Generated pages contain link targets; other inline tags are placeholders such as <name>.
      const id = /^<a id="([\w-]+)">$/.exec(token.raw)?.[1]
      if (id !== undefined) return [{ ...element('a', []), id }]
      if (token.block) throw new Error(`${context.file}: the guides of the web app cannot show this HTML: ${token.raw}`)
      return token.raw === '</a>' ? [] : [token.raw]
    }
    default:
      throw new Error(`${context.file}: the guides of the web app cannot show a ${token.type}: ${token.raw}`)
  }
}

/** Undefined for files that the app does not show. */
function resolveLink(href: string, file: string): string | undefined {
  if (/^https?:/.test(href)) return href
  const [target = '', hash] = href.split('#')
  const withHash = hash === undefined ? '' : `#${hash}`
  if (target === '') return withHash
  const linked = path.posix.normalize(path.posix.join(path.posix.dirname(file), target)).replace(/\/$/, '')
  const guide = guides.find((one) => one.file === linked)
  if (guide) return `/docs/${guide.name}${withHash}`
  if (metricsFile.test(linked)) return hash === undefined ? '/metrics' : `/metrics/${hash}`
  return shownBy[linked]
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' }
const decodeEntities = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|nbsp);/g, (_, name: string) => entities[name] ?? '')

/** GitHub's heading ids, so that links work in both places. */
const toSlug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
