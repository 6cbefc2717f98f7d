import type { Settings } from '#root/config.ts'
import { listensEverywhere } from '#root/socket-address.ts'

export interface Trial {
  /** Signs a browser in, once. */
  readonly link: string
  readonly key: string
}

/** What to try first. */
export function welcome(
  url: string,
  { HOST }: Pick<Settings, 'HOST'>,
  metricsUrl: string | undefined,
  trial: Trial | undefined,
): string {
  const lines = [
    `serving on ${url}${listensEverywhere(HOST) ? ' (and on every other address of this machine)' : ''}`,
    `  ${url}/                              web pages`,
    `  ${url}/docs                          every endpoint: a page for browsers, OpenAPI for programs`,
    `  ${url}/v1/prices?limit=7             the last week of prices`,
    `  ${url}/v1/holder/valuation?limit=1   yesterday's valuation`,
    `  ${url}/v1/metrics                    the definition of every metric`,
    `  ${url}/mcp                           tools for AI assistants (Model Context Protocol)`,
    `  ${url}/health                        what is published, and how old it is`,
  ]
  if (metricsUrl) lines.push(`  ${metricsUrl}  figures for Prometheus`)
  if (trial) {
    lines.push(
      '',
      'The data is simulated. This link opens everything in a browser, once, within a day:',
      `  ${trial.link}`,
      '',
      'Without a key, the last 60 days of basic metrics are open. This key opens everything:',
      `  curl -H 'Authorization: Bearer ${trial.key}' '${url}/v1/holder/profit?limit=5'`,
    )
  }
  return `${lines.join('\n')}\n\n`
}
