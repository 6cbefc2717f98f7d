import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** Debian installs each version in its own folder, with only a few programs on PATH. */
const versionsFolder = '/usr/lib/postgresql'
const programs = [
  ...(existsSync(versionsFolder)
    ? readdirSync(versionsFolder).map((version) => path.join(versionsFolder, version, 'bin'))
    : []),
  ...(process.env.PATH ?? '').split(path.delimiter),
].find((folder) => ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name))))

interface User {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root; Debian's package creates a user for it. */
const owner: User | undefined = process.getuid?.() === 0 ? userNamed('postgres') : {}

/** Checks if an installed PostgreSQL can be run. */
export const hasPostgres = programs !== undefined && owner !== undefined

function userNamed(name: string): User | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

export interface RunningPostgres {
  readonly port: number
  /** URL of its only database, with password. */
  readonly url: string
  /** Suspends or resumes all processes. */
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void
  /** Stops it like a crash. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** Stops it and removes its data. */
  readonly remove: () => Promise<void>
}

/** Starts PostgreSQL on a free port. */
export async function startPostgres(): Promise<RunningPostgres> {
  if (programs === undefined || owner === undefined) throw new Error('PostgreSQL is not installed')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'coinstrata-postgres-'))
  const password = path.join(folder, 'password')
  writeFileSync(password, 'secret-password')
  const { uid, gid } = owner
  if (uid !== undefined && gid !== undefined) for (const name of [folder, password]) chownSync(name, uid, gid)
  const data = path.join(folder, 'data')
  const made = spawnSync(
    path.join(programs, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'coinstrata',
      '--auth',
      'scram-sha-256',
      '--pwfile',
      password,
      '--no-sync',
      '--locale',
      'C',
      '-E',
      'UTF8',
    ],
    { ...owner, cwd: folder, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const port = await freePort()
  let server: ChildProcess
  const killWithTest = (): boolean => server.kill('SIGKILL')
  const start = async (): Promise<void> => {
    server = spawn(
      path.join(programs, 'postgres'),
      ['-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', '', '-c', 'fsync=off'],
      { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    process.once('exit', killWithTest)
    await new Promise<void>((resolve, reject) => {
      let said = ''
      server.stderr?.on('data', (chunk) => {
        said += String(chunk)
        if (said.includes('ready to accept connections')) resolve()
      })
      server.once('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)))
    })
  }
  const kill = async (): Promise<void> => {
    process.off('exit', killWithTest)
    if (server.exitCode !== null || server.signalCode !== null) return
    // Stops immediately, with all child processes.
    server.kill('SIGQUIT')
    await Promise.race([once(server, 'exit'), setTimeout(5_000)])
  }
  await start()
  return {
    port,
    url: `postgresql://coinstrata:secret-password@127.0.0.1:${port}/postgres`,
    signal: (signal) => {
      const pid = server.pid ?? 0
      server.kill(signal)
      for (const child of childrenOf(pid)) signalIfThere(child, signal)
    },
    kill,
    start,
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The process of the connection may have ended, too. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
