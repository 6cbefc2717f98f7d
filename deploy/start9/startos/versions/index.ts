import { IMPOSSIBLE, VersionGraph, VersionInfo } from '@start9labs/start-sdk'

/** Program version, then its number of earlier packages. */
const current = VersionInfo.of({
  version: '1.0.0:0',
  releaseNotes: 'The first package for StartOS.',
  migrations: { up: async () => {}, down: IMPOSSIBLE },
})

export const versionGraph = VersionGraph.of({ current, other: [] })
