import { readFileSync } from 'node:fs'
import { describeSetting, settingNames } from '#root/config.ts'
import { replaceFile } from '#sql/files.ts'

const readmeFile = new URL('../README.md', import.meta.url).pathname
const header = '| variable | default | meaning |\n|---|---|---|\n'

/** A text with the table of settings in place of the one that stands in it. */
export function withSettings(text: string): string {
  const begin = text.indexOf(header)
  const end = text.indexOf('\n\n', begin)
  if (begin < 0 || end < 0) throw new Error('there is no table of settings')
  const rows = settingNames.map((name) => {
    const { usual, description } = describeSetting(name)
    return `| \`${name}\` | ${usual && `\`${usual}\``} | ${description} |`
  })
  return text.slice(0, begin) + header + rows.join('\n') + text.slice(end)
}

if (import.meta.main) replaceFile(readmeFile, withSettings(readFileSync(readmeFile, 'utf8')))
