import { renderFile } from './file-renderer.ts'

/** What a render thread does. */
export default renderFile
