import { CoinstrataError } from '#base/errors.ts'
import { type Probe, probeSources } from '#ingest/market/probe.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Asks every source once and prints how it answers. Throws `market_source_failed`, after printing, where one whose key is
 * set does not answer as documented, and `invalid_argument`.
 */
export async function probeMarket(sources: readonly string[], { environment, stdout }: Surroundings): Promise<void> {
  const probes = await probeSources({ env: environment, ...(sources.length > 0 && { sources }) })
  stdout.write(probes.map(describe).join(''))
  const asked = probes.filter(({ verdict }) => verdict !== 'no_key')
  const wrong = asked.filter(({ verdict }) => verdict !== 'works')
  if (wrong.length === 0) return
  const names = wrong.map(({ source, verdict }) => `${source} ${verdict}`).join(', ')
  throw new CoinstrataError('market_source_failed', `${wrong.length} of ${asked.length} sources: ${names}`, {
    cure: 'nothing was stored; a source that changed needs a newer version of Coinstrata; one that refuses needs a key, a slower pace or another address',
  })
}

const describe = ({ source, verdict, findings }: Probe): string =>
  findings
    .map(
      (line, i) =>
        `${(i === 0 ? source : '').padEnd(16)}${(i === 0 ? verdict.replace('_', ' ') : '').padEnd(13)}${line}\n`,
    )
    .join('')
