import { useEffect } from 'preact/hooks'
import { paths } from '#contract/paths.ts'
import type { Status as State } from '#contract/status.ts'
import { useTitle } from '../../app/title.ts'
import { readJson, request } from '../../data/client.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { Failed } from '../../parts/failed.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { Generations } from './generations.tsx'
import { Runs } from './runs.tsx'
import { Served } from './served.tsx'
import { Sources } from './sources.tsx'

const interval = 60_000

export function Status() {
  useTitle('Status')
  const { value, error, retry } = useAnswer(readStatus, [])
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && retry(), interval)
    return () => clearInterval(timer)
  }, [retry])
  return (
    <>
      <h1>Status</h1>
      {error !== undefined && <Failed error={error} retry={retry} />}
      {value ? (
        <>
          <Served status={value} />
          <Generations status={value} />
          <Runs status={value} />
          <Sources status={value} />
        </>
      ) : (
        error === undefined && <Waiting lines={14} />
      )}
    </>
  )
}

/** Not cached: the status changes within a generation. */
const readStatus = async (): Promise<State> => readJson(await request(paths.status.slice(1)))
