import { cpSync } from 'node:fs'
import path from 'node:path'
import { vi } from 'vitest'
import { z } from 'zod'
import { publishedFolder, switchToGeneration } from '#sql/generation.ts'
import { readIntactJson, writeIntactJson } from '#sql/intact-file.ts'
import { addressOf, type RunningProgram, startCoinstrata } from '#test/support/program.ts'
import { answerText, type Caller } from './callers.ts'
import { Line } from './line.ts'

const healthSchema = z.object({ generation: z.string().nullable(), problems: z.array(z.object({ code: z.string() })) })

/** Milliseconds after which the balancer asks the next machine. */
const patience = 1_000
/**
 * On a busy computer all may take longer than that at times: who was asked before is then asked
 * again, with more patience.
 */
const greaterPatience = 5_000

/** One machine that serves, behind a line. */
export class Machine {
  readonly line: Line
  readonly #environment: Readonly<Record<string, string>>
  #program: RunningProgram

  private constructor(line: Line, environment: Readonly<Record<string, string>>, program: RunningProgram) {
    this.line = line
    this.#environment = environment
    this.#program = program
  }

  static async start(environment: Readonly<Record<string, string>>): Promise<Machine> {
    const program = startCoinstrata(['serve', '--port', '0'], { environment })
    return new Machine(await Line.to(await addressOf(program)), environment, program)
  }

  signal(signal: NodeJS.Signals): void {
    this.#program.process.kill(signal)
  }

  async startAgain(): Promise<void> {
    this.#program = startCoinstrata(['serve', '--port', '0'], { environment: this.#environment })
    this.line.target = new URL(await addressOf(this.#program))
  }

  /** What it serves, and what it says is wrong. */
  async health(): Promise<{ readonly generation: string | null; readonly problems: readonly string[] }> {
    const answer = await fetch(new URL('/health', this.line.target), { signal: AbortSignal.timeout(patience) })
    const { generation, problems } = healthSchema.parse(await answer.json())
    return { generation, problems: problems.map(({ code }) => code) }
  }

  /** Asks it as a balancer does that gives it all the time it wants. */
  async answer(target: string, { headers }: Caller): Promise<string> {
    return answerText(await fetch(`${this.line.url}${target}`, { headers }))
  }

  async end(): Promise<void> {
    this.signal('SIGKILL')
    await this.#program.outcome
    this.line.close()
  }
}

/**
 * Asks the machines in turn from one on, each for a second at most unless told otherwise: what the
 * first says that answers.
 */
export async function askInTurn(
  machines: readonly Machine[],
  first: number,
  target: string,
  { headers }: Caller,
  longest = patience,
): Promise<string> {
  for (let i = 0; i < 2 * machines.length; i++) {
    const { url } = machines[(first + i) % machines.length]!.line
    const wait = i < machines.length ? longest : greaterPatience
    try {
      return await answerText(await fetch(`${url}${target}`, { headers, signal: AbortSignal.timeout(wait) }))
    } catch {
      // The next one.
    }
  }
  return 'no machine answers'
}

/**
 * Milliseconds until all machines serve a generation and find nothing wrong but what may be. Throws
 * after `longest`.
 */
export async function untilServed(
  machines: readonly Machine[],
  generation: string,
  longest: number,
  mayBeWrong: readonly string[] = [],
): Promise<number> {
  const since = performance.now()
  const isWell = async (machine: Machine): Promise<void> => {
    const { generation: served, problems } = await machine.health()
    const wrong = problems.filter((problem) => !mayBeWrong.includes(problem))
    if (served !== generation || wrong.length > 0) throw new Error(`it serves ${served}, not ${generation}: ${wrong}`)
  }
  await Promise.all(machines.map((machine) => vi.waitFor(() => isWell(machine), { timeout: longest, interval: 50 })))
  return Math.round(performance.now() - since)
}

/**
 * Makes the tables of another generation the current one of a data folder, under an id of their
 * own.
 */
export function renewGeneration(dataDir: string, from: string, id: string): void {
  const published = publishedFolder(dataDir)
  const copy = path.join(published, id)
  cpSync(path.join(published, from), copy, { recursive: true })
  const described = path.join(copy, 'generation.json')
  writeIntactJson(described, { ...readIntactJson(described, z.looseObject({})), id })
  switchToGeneration(dataDir, id)
}
