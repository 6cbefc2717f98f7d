import type { EndpointId } from '#contract/endpoints.ts'
import type { Call } from '../client/call.ts'
import { answerFields, type FieldsRequest } from './answer-fields.ts'
import { chooseFields } from './choose-fields.ts'
import type { SeriesAnswer } from './series-answer.ts'

interface DailyRequest extends FieldsRequest {
  readonly fields?: readonly string[] | undefined
}

/** The fields asked for of an endpoint of the API, or metrics of others by id; without any asked for, those of `headline`. */
export async function answerDaily(
  call: Call,
  endpoint: EndpointId,
  { fields, ...request }: DailyRequest,
  headline: readonly string[],
): Promise<SeriesAnswer> {
  const catalogue = await call.catalogue.read(call.rest, call.signal)
  const metrics = catalogue.servedBy(endpoint)
  const chosen = chooseFields(metrics, fields, headline, catalogue)
  const others = metrics.filter(({ id }) => !chosen.some(({ metricId }) => metricId === id)).length
  const notes = others > 0 && !fields ? [`${others} more by fields; search_metrics finds them.`] : []
  return answerFields(call, chosen, request, notes)
}
