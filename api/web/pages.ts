import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Express, Request, RequestHandler, Response } from 'express'
import { ApiError } from '#contract/api-error.ts'
import { type PagePreloads, pages, viewParameters } from '#contract/pages.ts'
import { paths } from '#contract/paths.ts'
import { sharedCaching } from '#contract/shared-caching.ts'
import { CompressedBodies } from '../http/compression.ts'
import { allowFrames, protectConsent, workerPolicy } from '../http/content-policy.ts'
import { preferredType } from '../http/preferred-type.ts'
import { isNotModified } from '../http/send-answer.ts'

/** Written by web/build/build.ts. Names of assets contain a content hash. */
const built = path.join(import.meta.dirname, '..', '..', 'web', 'built')

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}
const endings = { zstd: '.zst', br: '.br', gzip: '.gz', identity: '' } as const
const encodings = ['br', 'zstd', 'gzip', 'identity'] as const

/**
 * Adds the web app, the embeddable chart and their files. Users reach them below `basePath`, which
 * has no trailing slash. Returns the handler for unknown addresses: browsers get the app, other
 * clients the next handler.
 */
export function addPages(app: Express, basePath: string, isOpen: boolean): RequestHandler {
  const assets = existsSync(built) ? readdirSync(path.join(built, 'assets')) : []
  const names = new Set(assets)
  app.get('/assets/:name', (request, response) => {
    const { name } = request.params
    const type = types[path.extname(name)]
    const available = encodings.filter((one) => names.has(name + endings[one]))
    // The last, if the client takes none: the plain file, or the only one of large ones.
    const last = available.at(-1)
    if (!type || !last) throw new ApiError('not_found', `there is no file ${request.path}`)
    const encoding = preferredType(request.headers['accept-encoding'] ?? 'identity', available) ?? last
    if (name.startsWith('duckdb.worker-')) response.setHeader('Content-Security-Policy', workerPolicy)
    response.set({
      'Content-Type': type,
      // An embedded chart has an opaque origin.
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
    })
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding)
    sendFile(response, name + endings[encoding])
  })
  const isBuilt = existsSync(path.join(built, 'preloads.json'))
  addTexts(app, basePath, isBuilt)
  const preloads: Partial<Record<string, PagePreloads>> = isBuilt
    ? JSON.parse(readFileSync(path.join(built, 'preloads.json'), 'utf8'))
    : {}
  app.get(pages.connect, protectConsent)
  const page = isBuilt ? readDocument('index.html', basePath) : ''
  for (const [name, template] of Object.entries(pages)) {
    const parts = preloads[name]
    app.get(expressPath(template), parts ? documentSender(withPreloads(page, parts)) : refuse)
  }
  const embed = isBuilt ? readDocument('embed.html', basePath) : ''
  // With open access, pages of other sites cannot read the data either.
  const frames = isOpen ? [] : [allowFrames]
  app.get(expressPath(paths.embed), ...frames, isBuilt ? documentSender(() => embed) : refuse)
  const sendUnknown = documentSender(withPreloads(page, { scripts: [], always: [], plain: [] }), 404)
  return (request, response, next) =>
    isBuilt && !request.path.startsWith('/v1/') && request.accepts(['application/json', 'text/html']) === 'text/html'
      ? sendUnknown(request, response, next)
      : next()
}

/** Shows the OpenAPI document; undefined until the pages are built. */
export function readReferencePage(basePath: string): string | undefined {
  const file = path.join(built, 'reference.html')
  return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('{{base}}', basePath) : undefined
}

/** Adds `llms.txt` and the Markdown source of each guide. */
function addTexts(app: Express, basePath: string, isBuilt: boolean): void {
  const folder = path.join(built, 'guides')
  const guides = new Set(isBuilt ? readdirSync(folder) : [])
  app.get(expressPath(paths.guide), (request, response) => {
    const name = `${request.params.guide}.md`
    if (!guides.has(name)) throw new ApiError('not_found', `there is no guide ${request.path}`)
    response.type('text/markdown').send(readFileSync(path.join(folder, name)))
  })
  const text = isBuilt ? readFileSync(path.join(built, 'llms.txt'), 'utf8').replaceAll('{{base}}', basePath) : ''
  app.get(paths.guides, isBuilt ? (_, response) => void response.type('text/plain').send(text) : refuse)
}

const expressPath = (template: string): string => template.replaceAll(/\{(\w+)\}/g, ':$1')

/** Read when requested: files are small, and browsers cache them. */
function sendFile(response: Response, name: string): void {
  const bytes = readFileSync(path.join(built, 'assets', name))
  response.setHeader('Content-Length', bytes.length)
  response.end(bytes)
}

function documentSender(text: (request: Request) => string, status = 200): RequestHandler {
  const compressed = new CompressedBodies()
  return async (request, response) => {
    const page = Buffer.from(text(request))
    const etag = `W/"${hash('sha256', page).slice(0, 32)}"`
    response.set({ ETag: etag, 'Cache-Control': status === 200 ? sharedCaching : 'no-cache', Vary: 'Accept-Encoding' })
    if (status === 200 && isNotModified(request, etag)) return void response.status(304).end()
    response.status(status).set('Content-Type', 'text/html; charset=utf-8')
    return compressed.send(request, response, etag, page)
  }
}

const refuse: RequestHandler = () => {
  throw new ApiError('not_found', 'the pages are not built: run "npm run build:web", then start again')
}

const readDocument = (name: string, basePath: string): string =>
  readFileSync(path.join(built, name), 'utf8').replace('<base href="/">', `<base href="${basePath}/">`)

/** Adds preload links for scripts and first requests. */
function withPreloads(page: string, { scripts, always, plain }: PagePreloads): (request: Request) => string {
  const whole = page.replace('{{scripts}}', linksTo(scripts, 'rel="modulepreload"'))
  return ({ params, query }) => {
    const parts = new Map(Object.entries(params).flatMap(([name, part]) => (isPlain(part) ? [[name, part]] : [])))
    const isPlainView = Object.keys(query).every((name) => viewNames.has(name))
    const requests = [...always, ...(isPlainView ? plain : [])].map((address) =>
      address.replaceAll(/\{(\w+)\}/g, (place, name: string) => parts.get(name) ?? place),
    )
    const known = requests.filter((address) => !address.includes('{'))
    return whole.replace('{{requests}}', linksTo([...new Set(known)], 'rel="preload" as="fetch" crossorigin'))
  }
}

const viewNames: ReadonlySet<string> = new Set(viewParameters)
/** Needs no escaping in URLs and HTML. */
const isPlain = (part: unknown): part is string => typeof part === 'string' && /^[\w-]{1,100}$/.test(part)
const linksTo = (addresses: readonly string[], kind: string): string =>
  addresses.map((address) => `<link ${kind} href="${address.replaceAll('&', '&amp;')}">`).join('\n')
