import type { EndpointId } from '#contract/endpoints.ts'
import type { Call } from '../client/call.ts'
import { readSeries } from '../client/read-series.ts'
import { chooseFields } from './choose-fields.ts'
import { mostFields } from './parameters.ts'
import { type SeriesAnswer, seriesAnswer } from './series-answer.ts'
import type { Range } from './window.ts'

interface DailyRequest extends Range {
  readonly fields?: readonly string[] | undefined
}

/**
 * The fields asked for of an endpoint of the API; without any asked for, those of `headline`, or all where it is absent.
 */
export async function answerDaily(
  call: Call,
  endpoint: EndpointId,
  request: DailyRequest,
  headline?: readonly string[],
): Promise<SeriesAnswer> {
  const metrics = (await call.catalogue.read(call.rest, call.signal)).servedBy(endpoint)
  const all = metrics.map(({ field }) => field).slice(0, mostFields)
  const chosen = chooseFields(metrics, request.fields, headline ?? all)
  const history = await readSeries(
    chosen.map(({ column }) => column),
    call,
  )
  const others = metrics.length - chosen.length
  const more = others > 0 && !request.fields ? [`${others} more fields of ${endpoint} can be asked for by fields.`] : []
  return seriesAnswer(history, chosen, { range: request, notes: more })
}
