import { IMPOSSIBLE, VersionGraph, VersionInfo } from '@start9labs/start-sdk'

/** The version of the program, and how often it was packaged before. */
const current = VersionInfo.of({
  version: '0.2.0:0',
  releaseNotes: 'The first package for StartOS.',
  migrations: { up: async () => {}, down: IMPOSSIBLE },
})

export const versionGraph = VersionGraph.of({ current, other: [] })
