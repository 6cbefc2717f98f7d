// Keeps a version from being published by hand: without the workflow it has no provenance, and no test may have seen it.
if (process.env.GITHUB_ACTIONS !== 'true') {
  console.error('a version is published by its tag: see "Commits and releases" in CONTRIBUTING.md')
  process.exitCode = 1
}
