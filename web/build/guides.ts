import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'rolldown'
import { type GuideName, guides } from '../pages/guides/list.ts'
import { readArticle } from './read-article.ts'

const project = path.join(import.meta.dirname, '..', '..')
const prefix = 'guide:'

/** The guide of a name, made of its file. */
export function readGuide(name: GuideName) {
  const { file } = guides.find((one) => one.name === name)!
  return readArticle(readFileSync(path.join(project, file), 'utf8'), file)
}

/** Makes `guide:tables` and the like modules, whose default export is an `Article`; a page loads each by itself. */
export const guideModules: Plugin = {
  name: 'guides',
  resolveId: (id) => (id.startsWith(prefix) ? id : null),
  load: (id) => {
    const guide = guides.find(({ name }) => id === prefix + name)
    return guide ? `export default ${JSON.stringify(readGuide(guide.name))}` : null
  },
}
