import { drawFile } from './draw-file.ts'

/** What a render thread does. */
export default drawFile
