import { folderError } from '#compute/data-folder.ts'
import { RunJournal } from '#sql/run-journal.ts'

/**
 * Runs a command that writes to the data folder, and notes in its journal when that was and how it ended. `work` returns
 * what is worth knowing of a run that went well. Throws what `work` throws, and `data_folder_unwritable`, `disk_full`.
 */
export async function recordRun(dataDir: string, job: string, work: () => Promise<string | null>): Promise<void> {
  const journal = openJournal(dataDir)
  try {
    const run = journal.begin(job)
    try {
      journal.end(run, 'ok', await work())
    } catch (error) {
      journal.end(run, 'failed', error instanceof Error ? error.message : String(error))
      throw error
    }
  } catch (cause) {
    throw folderError(cause, dataDir)
  } finally {
    journal.close()
  }
}

function openJournal(dataDir: string): RunJournal {
  try {
    return new RunJournal(dataDir)
  } catch (cause) {
    throw folderError(cause, dataDir)
  }
}
