import { renderFile } from './file-renderer.ts'

export default renderFile
