import { readFileSync } from 'node:fs'
import { describeError, errorCodes, isTransient } from '#base/error-codes.ts'
import { problemCodes, problemCure } from '#contract/operational-state.ts'
import { replaceFile } from '#sql/files.ts'
import { withFirstRun } from './first-run.ts'
import { withTable } from './generated-table.ts'

const pageFile = new URL('operate.md', import.meta.url).pathname

/** Pages of the documentation with more about a code. */
const furtherReading: Readonly<Record<string, string>> = {
  invalid_configuration: 'settings.md',
  store_damaged: 'scale.md',
  store_conflict: 'scale.md',
  limits_not_shared: 'scale.md#limits-of-several-machines',
  accounts_unavailable: 'scale.md#accounts-of-several-machines',
}

/** Writes commands, files and settings as code. */
const toMarkdown = (code: string, cure: string): string => {
  const page = furtherReading[code]
  const text = cure.replace(
    /"([^"]+)"|\b([A-Z]+(?:_[A-Z]+)+)\b/g,
    (_, quoted = '', setting = '') => `\`${quoted}${setting}\``,
  )
  return page === undefined ? text : `${text} [More](${page})`
}

const errorsHeader = '| code | exit code | what it means | what to do |\n|---|---|---|---|\n'
const problemsHeader = '| problem | what to do |\n|---|---|\n'

/** Updates the tables of the page for operators. */
export const withCodes = (page: string): string =>
  withTable(
    withTable(
      withFirstRun(page),
      problemsHeader,
      problemCodes.map((code) => `| \`${code}\` | ${toMarkdown(code, problemCure(code))} |`),
    ),
    errorsHeader,
    errorCodes.map((code) => {
      const [exitCode, meaning, cure] = describeError(code)
      return `| \`${code}\` | ${exitCode} | ${meaning} | ${toMarkdown(code, cure)}${isTransient(code) ? ' `start` tries again by itself.' : ''} |`
    }),
  )

if (import.meta.main) replaceFile(pageFile, withCodes(readFileSync(pageFile, 'utf8')))
