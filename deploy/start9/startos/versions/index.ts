import { IMPOSSIBLE, VersionGraph, VersionInfo } from '@start9labs/start-sdk'

/** Program version, then the number of earlier packages of it. */
const current = VersionInfo.of({
  version: '0.2.0:0',
  releaseNotes: 'The first package for StartOS.',
  migrations: { up: async () => {}, down: IMPOSSIBLE },
})

export const versionGraph = VersionGraph.of({ current, other: [] })
