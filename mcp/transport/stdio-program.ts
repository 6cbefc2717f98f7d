import { inspect } from 'node:util'
import { exitCodeOf } from '#base/error-codes.ts'
import { CoinstrataError } from '#base/errors.ts'
import type { Log } from '#base/log.ts'
import { version } from '#base/version.ts'
import { runStdio } from './stdio.ts'

/* Entry point of coinstrata-mcp: the tools on stdio, for an instance on any machine. */

const help = `coinstrata-mcp ${version}: Bitcoin on-chain analytics as tools for AI assistants (Model Context Protocol over stdio)

COINSTRATA_URL      address of the Coinstrata instance (default http://127.0.0.1:3000)
COINSTRATA_API_KEY  API key of that instance; without one you get demo data
`

/** Desktop assistants pass empty bundle settings as placeholders, `${user_config.…}`. */
const readSetting = (name: string): string | undefined => {
  const text = process.env[name]
  return text === undefined || text === '' || text.startsWith('${') ? undefined : text
}

/** Standard output belongs to the protocol. */
const log: Log = {
  debug: () => {},
  error: (about, message) => void process.stderr.write(`${message}: ${inspect(about)}\n`),
}

const [argument] = process.argv.slice(2)
if (argument === '--version') process.stdout.write(`${version}\n`)
else if (argument !== undefined) process.stdout.write(help)
else {
  try {
    runStdio({
      baseUrl: readSetting('COINSTRATA_URL') ?? 'http://127.0.0.1:3000',
      apiKey: readSetting('COINSTRATA_API_KEY'),
      log,
    })
  } catch (error) {
    if (!(error instanceof CoinstrataError)) throw error
    process.stderr.write(`coinstrata-mcp: ${error.message} [${error.code}]\nWhat to do: ${error.cure}\n`)
    process.exitCode = exitCodeOf(error.code)
  }
}
