import { readFileSync } from 'node:fs'
import { describeSetting, settingNames } from '#root/config.ts'
import { replaceFile } from '#sql/files.ts'
import { withTable } from './generated-table.ts'

const pageFile = new URL('settings.md', import.meta.url).pathname
const header = '| variable | default | meaning |\n|---|---|---|\n'

/** Updates the table of settings in docs/settings.md. */
export const withSettings = (page: string): string =>
  withTable(
    page,
    header,
    settingNames.map((name) => {
      const { defaultText, description } = describeSetting(name)
      return `| \`${name}\` | ${defaultText && `\`${defaultText}\``} | ${description} |`
    }),
  )

if (import.meta.main) replaceFile(pageFile, withSettings(readFileSync(pageFile, 'utf8')))
