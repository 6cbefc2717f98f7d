import { RequestError } from '#clients/typescript/request.ts'
import { ChartRequestError } from '#render/page/page.ts'

interface Explanation {
  readonly message: string
  readonly cure: string
}

/** Own words, because those of the API name parameters, which pages do not show. */
export function explain(error: unknown): Explanation {
  const { code, message, details } = readRefusal(error)
  const said = toSentence(
    message
      .replace(/^\/v1\S+ needs an API key/, 'this needs an account')
      .replace(/: send it as 'Authorization.*$/, '')
      .replace(/^parameter '[^']*':? /, ''),
  )
  const own = ownWords[String(details.parameter)]
  if (own && (code === 'invalid_parameter' || own === ownWords.as_of)) {
    const [, first] = /\(published ([\d-]+)/.exec(message) ?? []
    return first === undefined ? own : { ...own, cure: `Choose ${first} or a later day.` }
  }
  if (code === 'unreachable' && !navigator.onLine) {
    return { message: 'You are offline.', cure: 'The page goes on when you are connected again.' }
  }
  if (code === 'insufficient_tier' && typeof details.first_date === 'string') {
    return { message: `Your account sees the days from ${details.first_date} on.`, cure: 'Choose later days.' }
  }
  return { message: code === 'unreachable' ? 'The service does not answer.' : said, cure: cures[code] ?? 'Try again.' }
}

function readRefusal(error: unknown): Pick<RequestError, 'code' | 'message' | 'details'> {
  if (error instanceof RequestError) return error
  if (error instanceof ChartRequestError)
    return { code: error.reason, message: error.message, details: { ...error.problem } }
  return { code: '', message: error instanceof Error ? error.message : String(error), details: {} }
}

/** By the refused parameter. */
const ownWords: Readonly<Record<string, Explanation>> = {
  metrics: {
    message: 'These series have more units than a chart has axes.',
    cure: 'Give some the same axis or a pane below, or show all as “First value = 100”.',
  },
  as_of: {
    message: 'Nothing that was published by that day is kept.',
    cure: 'Choose a later day, or none to see the newest values.',
  },
  x_axis: { message: 'Cycles are those of one metric.', cure: 'Hide the other series.' },
  style: { message: 'Candles show the price alone, by date.', cure: 'Give the other series another style.' },
  interval: {
    message: 'Not every one of these series has hours or blocks.',
    cure: 'Choose days, or hide the others: the page of each metric offers the points that it has.',
  },
}

const checkService = 'Check that the service runs, then try again. What you typed is still here.'
const cures: Readonly<Record<string, string>> = {
  unreachable: checkService,
  unknown: checkService,
  data_not_ready: 'The first update is still running. This page loads when it is done.',
  data_damaged: 'The operator has to repair the data first.',
  missing_api_key: 'Sign in with an account that has access.',
  insufficient_tier: 'Sign in with an account of that tier.',
  rate_limited: 'Wait a moment, then try again.',
  quota_exceeded: 'The day ends at midnight UTC.',
  budget_exceeded: 'Wait a moment, then ask for less.',
  not_found: 'Check the name, or search for it.',
  invalid_parameter: 'Correct it and try again.',
}

export const toSentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
