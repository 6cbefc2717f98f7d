import path from 'node:path'
import { CoinstrataError } from '#base/errors.ts'
import {
  type BuiltInMetric,
  checkOwnMetrics,
  ownMetricsFolder,
  readOwnFile,
  readOwnFiles,
} from '#compute/catalogue/own-metrics.ts'
import { ownMetrics } from '#contract/tables/metrics.ts'
import { tierForGrade } from '#contract/tiers.ts'
import { type Catalogue, isSeries } from '#query/catalogue.ts'
import { replaceFile } from '#sql/files.ts'
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
  // Last, so that another file with its id is not the one that is refused.
  const { metrics, fileById, problems } = checkOwnMetrics([...others, checked], await readBuiltIn(place))
  const problem = findProblem(problems, checked.name)
  if (problem) throw problem
  const defined = metrics.filter(({ id }) => fileById.get(id) === checked.name)
  const [metric] = defined
  const right =
    defined.length > 1
      ? `the cohort, with ${defined.length} metrics from '${metric?.id}' to '${defined.at(-1)?.id}', is right`
      : `'${metric?.id}' (${metric?.name}) is right, for tier ${tierForGrade(metric?.grade ?? 0)} and higher`
  const folder = ownMetricsFolder(place.DATA_DIR)
  const next =
    path.dirname(path.resolve(file)) === path.resolve(folder)
      ? 'it is computed in the next "coinstrata update"'
      : `copy it to ${folder}; the next "coinstrata update" computes it`
  return `${file}: ${right}; ${next}\n`
}

/**
 * Adds a definition to the data folder under its id, and returns the file's name. Throws
 * `invalid_argument`.
 */
export function saveOwnMetric(dataDir: string, definition: { readonly id: string }, catalogue: Catalogue): string {
  const name = `${definition.id}.json`
  const text = `${JSON.stringify(definition, undefined, 2)}\n`
  const files = readOwnFiles(dataDir)
  const isTaken = files.some((file) => file.name === name)
  const problem = isTaken
    ? { message: `the file ${name} exists`, cure: 'choose another id' }
    : findProblem(checkOwnMetrics([...files, { name, text }], selectBuiltIn(catalogue)).problems, name)
  if (problem) throw new CoinstrataError('invalid_argument', problem.message, problem)
  replaceFile(path.join(ownMetricsFolder(dataDir), name), text)
  return name
}

const findProblem = (problems: readonly CoinstrataError[], file: string): CoinstrataError | undefined =>
  problems.find(({ message }) => message.startsWith(`${file}: `))

const readBuiltIn = (place: PublishedPlace): Promise<BuiltInMetric[]> =>
  withGenerations(place, async (generations) => selectBuiltIn((await generations.current()).catalogue))

const selectBuiltIn = ({ metrics }: Catalogue): BuiltInMetric[] =>
  metrics
    .filter(({ category }) => category !== ownMetrics.category)
    .map((metric) => ({ ...metric, isSeries: isSeries(metric) }))
