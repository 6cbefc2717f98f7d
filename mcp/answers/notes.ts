import type { Meta } from '#contract/envelope.ts'

export const simulatedNote = 'These are made-up data of a simulated chain and market, not those of Bitcoin.'

export const historyNote = (limit: string): string =>
  `This connection sees days from ${limit} on. Tier pro or higher sees all history.`

/** What an answer of the API says about itself, for an assistant. */
export function metaNotes({ simulated, withheld, withheld_tier, note }: Meta): string[] {
  const left = `Left out, because they need tier ${withheld_tier ?? 'pro'}: ${withheld?.join(', ')}.`
  return [
    ...(simulated ? [simulatedNote] : []),
    ...(withheld ? [left] : []),
    ...(note === undefined ? [] : [`No rows: ${note}.`]),
  ]
}
