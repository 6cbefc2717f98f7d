import type { Plugin } from 'rolldown'
import * as texts from '#contract/search/texts.ts'

/** Replaces the module that reads the files of the search by their text. */
export const searchTexts: Plugin = {
  name: 'search-texts',
  load: {
    filter: { id: /contract[\\/]search[\\/]texts\.ts$/ },
    handler: () =>
      Object.entries(texts)
        .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)}\n`)
        .join(''),
  },
}
