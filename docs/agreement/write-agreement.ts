import { replaceFile } from '#sql/files.ts'
import { agreementPage } from './agreement-page.ts'
import { references } from './references.ts'

replaceFile(new URL('../agreement.md', import.meta.url).pathname, agreementPage(references))
