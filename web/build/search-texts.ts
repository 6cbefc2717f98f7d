import type { Plugin } from 'rolldown'
import * as texts from '#contract/search/texts.ts'

/** Inlines the files that the search module reads. */
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
