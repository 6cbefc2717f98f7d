import { drawFile } from './file-renderer.ts'

/** What a render thread does. */
export default drawFile
