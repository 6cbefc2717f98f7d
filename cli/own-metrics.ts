import path from 'node:path'
import type { CoinstrataError } from '#base/errors.ts'
import {
  type BuiltInMetric,
  checkOwnMetrics,
  ownMetricsFolder,
  readOwnFile,
  readOwnFiles,
} from '#compute/catalogue/own-metrics.ts'
import { ownMetrics } from '#contract/tables/metrics.ts'
import { tierForGrade } from '#contract/tiers.ts'
import { isSeries } from '#query/catalogue.ts'
import { type PublishedPlace, withGenerations } from './published.ts'

/** Problems of the definitions in the data folder, against the metrics that are published. */
export async function findOwnProblems(place: PublishedPlace): Promise<readonly CoinstrataError[]> {
  const files = readOwnFiles(place.DATA_DIR)
  return files.length === 0 ? [] : checkOwnMetrics(files, await readBuiltIn(place)).problems
}

/**
 * Checks a definition together with those in the data folder, where it replaces the file of its
 * name. Throws `invalid_file`, `data_not_ready`.
 */
export async function checkOwnFile(place: PublishedPlace, file: string): Promise<string> {
  const checked = readOwnFile(file)
  const others = readOwnFiles(place.DATA_DIR).filter(({ name }) => name !== checked.name)
  const builtIn = await readBuiltIn(place)
  // Last, so that another file with its id is not the one that is refused.
  const { metrics, problems } = checkOwnMetrics([...others, checked], builtIn)
  const problem = problems.find(({ message }) => message.startsWith(`${checked.name}: `))
  if (problem) throw problem
  const before = new Set(checkOwnMetrics(others, builtIn).metrics.map(({ id }) => id))
  const [metric] = metrics.filter(({ id }) => !before.has(id))
  const tier = tierForGrade(metric?.grade ?? 0)
  const folder = ownMetricsFolder(place.DATA_DIR)
  const next =
    path.dirname(path.resolve(file)) === path.resolve(folder)
      ? 'it is computed in the next "coinstrata update"'
      : `copy it to ${folder}; the next "coinstrata update" computes it`
  return `${file}: '${metric?.id}' (${metric?.name}) is right, for tier ${tier} and higher; ${next}\n`
}

const readBuiltIn = (place: PublishedPlace): Promise<BuiltInMetric[]> =>
  withGenerations(place, async (generations) => {
    const { catalogue } = await generations.current()
    return catalogue.metrics
      .filter(({ category }) => category !== ownMetrics.category)
      .map((metric) => ({ ...metric, isSeries: isSeries(metric) }))
  })
