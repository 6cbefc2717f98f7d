import { trialEmail } from '#accounts/commands.ts'
import { isWildcardHost } from '#base/socket-address.ts'
import type { Settings } from '#root/config.ts'

/** The link signs a browser in once. The key is shown only at its creation. */
export type Trial = { readonly link: string } & ({ readonly key: string } | { readonly validUntil: string })

export function describeService(
  url: string,
  { HOST }: Pick<Settings, 'HOST'>,
  metricsUrl: string | undefined,
  trial: Trial | undefined,
): string {
  const lines = [
    `serving on ${url}${isWildcardHost(HOST) ? ' (and on every other address of this machine)' : ''}`,
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
      ...keyLines(trial, url),
    )
  }
  return `${lines.join('\n')}\n\n`
}

const keyLines = (trial: Trial, url: string): readonly string[] =>
  'key' in trial
    ? [
        'Without a key, the last 60 days of basic metrics are open. This key opens everything; it is shown only once:',
        `  curl -H 'Authorization: Bearer ${trial.key}' '${url}/v1/holder/profit?limit=5'`,
      ]
    : [
        `Without a key, the last 60 days of basic metrics are open. The key that an earlier start printed opens everything until ${trial.validUntil};`,
        `"coinstrata keys create ${trialEmail}" makes another one.`,
      ]
