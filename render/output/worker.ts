import { renderFile } from './file-renderer.ts'

/** Entry point of render threads. */
export default renderFile
