import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Express, RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'
import { paths } from '#contract/paths.ts'
import { CompressedBodies } from './compression.ts'
import { docsPolicy } from './content-policy.ts'

/** Swagger UI has its own dark mode, by a class of the document. */
const docsScript = (basePath: string): string => `const system = matchMedia('(prefers-color-scheme: dark)')
const { classList, dataset } = document.documentElement
const follow = () => classList.toggle('dark-mode', dataset.theme ? dataset.theme === 'dark' : system.matches)
system.addEventListener('change', follow)
follow()
new MutationObserver(() => {
  for (const one of document.querySelectorAll('select:not([aria-label])'))
    one.ariaLabel = one.id === 'servers' ? 'Server' : one.closest('tr')?.dataset.paramName || 'Value'
}).observe(document.body, { childList: true, subtree: true })
SwaggerUIBundle({ url: '${basePath}${paths.docs}?format=json', dom_id: '#reference', deepLinking: true })
`
const assets = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css')))
const assetNames = ['swagger-ui.css', 'swagger-ui-bundle.js']

/** OpenAPI version. */
type DocumentVersion = '3.0' | '3.1'

/** Serves the OpenAPI document; browsers get `page`, if any. */
export function addDocs(
  app: Express,
  describe: (version: DocumentVersion) => Promise<Buffer>,
  guard: readonly RequestHandler[],
  basePath: string,
  page: string | undefined,
): void {
  const compressed = new CompressedBodies()
  for (const name of assetNames) {
    const bytes = readFileSync(path.join(assets, name))
    app.get(`${paths.docs}/assets/${name}`, (request, response) => {
      response.set('Cache-Control', 'public, max-age=86400').type(path.extname(name))
      return compressed.send(request, response, name, bytes)
    })
  }
  app.get(`${paths.docs}/page.js`, (_, response) => {
    response.type('text/javascript').send(docsScript(basePath))
  })
  app.get(paths.docs, ...guard, async (request, response) => {
    const isJson = request.query.format === 'json' || page === undefined
    const type = isJson ? 'application/json' : request.accepts(['application/json', 'text/html'])
    response.vary('Accept')
    if (type !== 'text/html' && type !== 'application/json') {
      throw new ApiError('not_acceptable', 'Accept must name application/json or text/html')
    }
    if (type === 'text/html') response.set('Content-Security-Policy', docsPolicy)
    response.type(type)
    if (page !== undefined && type === 'text/html') return compressed.send(request, response, type, Buffer.from(page))
    const version = request.query.version === '3.0' ? '3.0' : '3.1'
    return compressed.send(request, response, `${type} ${version}`, await describe(version))
  })
}
