import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Express, RequestHandler } from 'express'
import { ApiError } from '#contract/api-error.ts'
import { paths } from '#contract/paths.ts'
import { CompressedBodies } from './compression.ts'
import { docsPolicy } from './content-policy.ts'

const docsPage = (basePath: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Coinstrata API</title>
<link rel="stylesheet" href="${basePath}${paths.docs}/assets/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="${basePath}${paths.docs}/assets/swagger-ui-bundle.js"></script>
<script src="${basePath}${paths.docs}/page.js"></script>
</body>
</html>
`
const docsScript = (basePath: string): string =>
  `SwaggerUIBundle({ url: '${basePath}${paths.docs}?format=json', dom_id: '#api', deepLinking: true })\n`
const assets = path.dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css')))
const assetNames = ['swagger-ui.css', 'swagger-ui-bundle.js']

/** Serves the OpenAPI document, to browsers as a page that shows it. */
export function addDocs(
  app: Express,
  describe: () => object,
  guard: readonly RequestHandler[],
  basePath: string,
): void {
  const compressed = new CompressedBodies()
  const page = Buffer.from(docsPage(basePath))
  // Created on first request: it takes longer than the rest of a server's start.
  let document: Buffer | undefined
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
  app.get(paths.docs, ...guard, (request, response) => {
    const type =
      request.query.format === 'json' ? 'application/json' : request.accepts(['application/json', 'text/html'])
    response.vary('Accept')
    if (type !== 'text/html' && type !== 'application/json') {
      throw new ApiError('not_acceptable', 'Accept must name application/json or text/html')
    }
    if (type === 'text/html') response.set('Content-Security-Policy', docsPolicy)
    response.type(type)
    if (type === 'text/html') return compressed.send(request, response, type, page)
    document ??= Buffer.from(JSON.stringify(describe()))
    return compressed.send(request, response, type, document)
  })
}
