import { lowerThreadPriority } from '#base/thread-priority.ts'
import { renderFile } from './file-renderer.ts'

lowerThreadPriority()

export default renderFile
