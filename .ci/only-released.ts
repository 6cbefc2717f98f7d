// Prevents publishing by hand: only the release workflow adds provenance and has run the tests.
if (process.env.GITHUB_ACTIONS !== 'true') {
  console.error('a version is published by its tag: see "Commits and releases" in CONTRIBUTING.md')
  process.exitCode = 1
}
