import { readFileSync } from 'node:fs'
import { describeSetting, settingNames } from '#root/config.ts'
import { replaceFile } from '#sql/files.ts'
import { withTable } from './readme-table.ts'

const readmeFile = new URL('../README.md', import.meta.url).pathname
const header = '| variable | default | meaning |\n|---|---|---|\n'

/** A text with the table of settings in place of the one that stands in it. */
export const withSettings = (text: string): string =>
  withTable(
    text,
    header,
    settingNames.map((name) => {
      const { usual, description } = describeSetting(name)
      return `| \`${name}\` | ${usual && `\`${usual}\``} | ${description} |`
    }),
  )

if (import.meta.main) replaceFile(readmeFile, withSettings(readFileSync(readmeFile, 'utf8')))
