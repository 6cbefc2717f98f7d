import type { Cohort } from '../cohorts/cohorts.ts'

export interface CohortWords {
  /** Within a sentence: `coins aged 1 to 2 years`. */
  readonly coins: string
  /** After a measure's name: `long-term holders`. */
  readonly label: string
}

const named: Readonly<Record<string, CohortWords>> = {
  all: { coins: 'all coins', label: 'all coins' },
  lth: { coins: 'coins aged 155 days or more (long-term holders)', label: 'long-term holders' },
  sth: { coins: 'coins aged less than 155 days (short-term holders)', label: 'short-term holders' },
  lth_smooth: {
    coins: 'coins of long-term holders, weighted 1/(1 + e^(−0.1·(age − 155))), 0 below 100 and 1 above 210 days,',
    label: 'long-term holders (smooth)',
  },
  sth_smooth: {
    coins: 'coins of short-term holders, weighted 1/(1 + e^(0.1·(age − 155))), 1 below 100 and 0 above 210 days,',
    label: 'short-term holders (smooth)',
  },
  '24h': { coins: 'coins aged up to 24 hours', label: 'coins aged up to 24 hours' },
  '6m_12m': { coins: 'coins aged 6 to 12 months', label: 'coins aged 6 to 12 months' },
}

const units: Readonly<Record<string, string>> = { d: 'day', w: 'week', m: 'month', y: 'year' }

export function cohortWords(cohort: Cohort): CohortWords {
  const { id } = cohort
  if (cohort.kind === 'coins') return { coins: cohort.coins, label: cohort.coins }
  const coins = phrase(id)
  return named[id] ?? { coins, label: coins }
}

function phrase(id: string): string {
  const [first = '', second = ''] = id.split('_')
  if (first === 'over') return `coins aged ${span(second)} or more`
  if (first === 'under') return `coins aged less than ${span(second)}`
  if (first === 'epoch') return `coins created in halving epoch ${second}`
  if (second === 'plus') return `coins aged ${span(first)} and older`
  if (second === '') return `coins created in ${id.slice(1)}`
  const sameUnit = first.at(-1) === second.at(-1)
  return `coins aged ${sameUnit ? first.slice(0, -1) : span(first)} to ${span(second)}`
}

/** Turns `1w` into `1 week`. */
function span(text: string): string {
  const count = text.slice(0, -1)
  return `${count} ${units[text.slice(-1)]}${count === '1' ? '' : 's'}`
}
