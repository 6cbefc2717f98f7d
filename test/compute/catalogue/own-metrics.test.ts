import { describe, expect, it } from 'vitest'
import { type BuiltInMetric, checkOwnMetrics, maxOwnCohorts, maxOwnMetrics } from '#compute/catalogue/own-metrics.ts'

const builtIn = (id: string, changes: Partial<BuiltInMetric> = {}): BuiltInMetric => ({
  id,
  name: `The ${id}`,
  aliases: [],
  grade: 0,
  isSeries: true,
  ...changes,
})
const all = [
  builtIn('price'),
  builtIn('mvrv', { name: 'MVRV', aliases: ['mv_to_rv', 'Glassnode: market_mvrv'] }),
  builtIn('sth_sopr', { grade: 1 }),
  builtIn('secret', { grade: 2 }),
  builtIn('cost_density', { isSeries: false }),
  builtIn('circulating_supply'),
  builtIn('realized_cap'),
  builtIn('lth_mvrv', { name: 'MVRV of long-term holders' }),
  builtIn('sopr_y2021', { grade: 1 }),
]
const right = { id: 'mine', title: 'Mine', formula: 'price / 2', unit: 'USD', description: 'Half of it.' }
const file = (changes: object, name = 'a.json') => ({ name, text: JSON.stringify({ ...right, ...changes }) })
const without = (field: keyof typeof right) => file({ [field]: undefined })
const check = (...files: Parameters<typeof checkOwnMetrics>[0]) => checkOwnMetrics(files, all)

/** Definition, part of what the problem says, part of its cure. */
const broken: readonly (readonly [{ name: string; text: string | undefined }, string, string])[] = [
  [{ name: 'a.json', text: undefined }, 'cannot be read', 'permissions'],
  [{ name: 'a.json', text: '' }, 'not JSON', 'commas'],
  [{ name: 'a.json', text: '{"id": "mine",}' }, 'not JSON', 'commas'],
  [{ name: 'a.json', text: '[]' }, 'no JSON object', 'id, title, formula'],
  [{ name: 'a.json', text: 'null' }, 'no JSON object', 'id, title, formula'],
  [without('id'), "'id' is missing", 'a definition has'],
  [without('title'), "'title' is missing", 'a definition has'],
  [without('formula'), "'formula' is missing", 'a definition has'],
  [without('unit'), "'unit' is missing", 'a definition has'],
  [without('description'), "'description' is missing", 'a definition has'],
  [file({ formual: 'price' }), "no field 'formual', did you mean 'formula'?", 'a definition has'],
  [file({ id: 7 }), 'id 7 must be a text', 'a definition has'],
  [file({ id: 'My Metric' }), 'id "My Metric" must be at most 63', 'a definition has'],
  [file({ id: '2x' }), 'id "2x" must be at most 63', 'a definition has'],
  [file({ id: 'a'.repeat(64) }), 'must be at most 63', 'a definition has'],
  [file({ id: 'date' }), 'name of another column', 'a definition has'],
  [file({ id: 'and' }), 'word of formulas', 'a definition has'],
  [file({ id: 'fee_sats' }), 'satoshis', 'a definition has'],
  [file({ id: 'mvrv' }), "'mvrv' is a metric of Coinstrata (MVRV)", "to 'own_mvrv'"],
  [file({ id: 'mv_to_rv' }), "'mv_to_rv' is a metric of Coinstrata (MVRV)", "to 'own_mv_to_rv'"],
  [file({ title: 'M V R V' }), "'M V R V' is a name of 'mvrv'", 'another title'],
  [file({ title: ' ' }), 'is empty', 'a definition has'],
  [file({ title: 'two\nlines' }), 'line break', 'a definition has'],
  [file({ title: 'x'.repeat(101) }), 'more than 100 characters', 'a definition has'],
  [file({ description: 'x'.repeat(1001) }), 'more than 1000 characters', 'a definition has'],
  [file({ unit: 'usd' }), "unit 'usd' is unknown, did you mean 'USD'?", 'use one of BTC'],
  [file({ unit: 'sats' }), 'must be BTC', 'a definition has'],
  [file({ kind: 'levels' }), "kind 'levels' is unknown, did you mean 'level'?", 'level, flow, rate'],
  [file({ kind: null }), "kind 'null' is unknown", 'level, flow, rate'],
  [file({ formula: 'price +' }), 'ends too early', 'is expected there'],
  [
    file({ formula: 'smaa(price, 7)' }),
    "unknown function 'smaa' at position 1, did you mean 'sma'?",
    'the functions are',
  ],
  [file({ formula: 'sma(price, 0)' }), 'invalid window', 'whole number'],
  [file({ formula: '('.repeat(60) }), 'nested deeper', 'split it'],
  [file({ formula: '1'.repeat(1001) }), 'more than 1000 characters', 'a definition has'],
  [file({ formula: 'prize * 2' }), "'prize' is no metric, did you mean 'price'?", 'known metric'],
  [file({ formula: 'market_mvrv' }), "'market_mvrv' is no metric, did you mean 'mvrv'?", 'known metric'],
  [file({ formula: 'mine * 2' }), "'mine' is left out itself, or refers back", 'without this metric'],
  [file({ formula: 'cost_density' }), 'no value for each day', '/v1/series'],
]

describe('definitions of metrics of one’s own', () => {
  it('are accepted with the defaults of their formula, and ordered by what they refer to', () => {
    const { metrics, formulas, problems } = check(
      file({ id: 'a_second', title: 'Second', formula: 'z_first * 2' }, 'a.json'),
      file({ id: 'z_first', title: 'First' }, 'b.json'),
    )
    expect(problems).toEqual([])
    expect(metrics.map(({ id }) => id)).toEqual(['a_second', 'z_first'])
    expect([...formulas.keys()]).toEqual(['z_first', 'a_second'])
    expect(metrics[0]).toMatchObject({ category: 'own', table: 'own_metrics', name: 'Second', grade: 0 })
  })

  it.each(broken)('are refused by name with a cure: %o', (one, problem, cure) => {
    const { metrics, problems } = check(one, file({ id: 'other', title: 'Other' }, 'b.json'))
    expect(metrics.map(({ id }) => id)).toEqual(['other'])
    expect(problems).toHaveLength(1)
    expect(problems[0]?.message).toMatch(/^a\.json: /)
    expect(problems[0]?.message).toContain(problem)
    expect(problems[0]?.cure).toContain(cure)
  })

  it('need the tier of the highest metric that they use, directly or not', () => {
    const { metrics } = check(
      file({ id: 'm1', title: 'One', formula: 'price + sth_sopr' }),
      file({ id: 'm2', title: 'Two', formula: 'm1 - secret' }, 'b.json'),
      file({ id: 'm3', title: 'Three', formula: 'm1 + m2' }, 'c.json'),
      file({ id: 'm4', title: 'Four', formula: '2' }, 'd.json'),
    )
    expect(metrics.map(({ grade }) => grade)).toEqual([1, 2, 2, 0])
  })

  it('that refer to one that is left out are left out too, instead of meaning the metric that took its id', () => {
    const { metrics, problems } = check(
      file({ id: 'mvrv' }),
      file({ id: 'twice', title: 'Twice', formula: '2 * mvrv' }, 'b.json'),
      file({ id: 'thrice', title: 'Thrice', formula: 'twice + 1' }, 'c.json'),
    )
    expect(metrics).toEqual([])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("a.json: 'mvrv' is a metric of Coinstrata"),
      expect.stringContaining("b.json: formula: at position 5, 'mvrv' is a metric of your own that is left out"),
      expect.stringContaining("c.json: formula: at position 1, 'twice' is left out itself"),
    ])
  })

  it('of one id in two files leave the first one in', () => {
    const { metrics, problems } = check(file({}), file({ formula: 'price / 3' }, 'b.json'))
    expect(metrics.map(({ formula }) => formula)).toEqual(['price / 2'])
    expect(problems[0]?.message).toBe("b.json: defines 'mine', as a.json does")
  })

  it('in a circle are all refused', () => {
    const circle = ['p', 'q', 'r'].map((id, i, ids) =>
      file({ id, title: `Round ${id}`, formula: `${ids[(i + 1) % 3]} + 1` }, `${id}.json`),
    )
    const { metrics, problems } = check(...circle)
    expect(metrics).toEqual([])
    expect(problems.map(({ message }) => message.slice(0, 6))).toEqual(['p.json', 'q.json', 'r.json'])
  })

  it('are limited in number', () => {
    const many = Array.from({ length: maxOwnMetrics + 1 }, (_, i) =>
      file({ id: `m${i}`, title: `Number ${i}` }, `m${i}.json`),
    )
    const { metrics, problems } = check(...many)
    expect(metrics).toHaveLength(maxOwnMetrics)
    expect(problems).toHaveLength(1)
  })
})

const rightCohort = { cohort: 'top', title: 'coins of the top', created: ['2021-01-01', '2021-06-30'] }
const cohort = (changes: object, name = 'a.json') => ({ name, text: JSON.stringify({ ...rightCohort, ...changes }) })
const aged = (age_days: unknown) => cohort({ created: undefined, age_days })
const rangeOfDays = 'must be two days from 2009-01-03 on'
const rangeOfAges = 'must be two whole numbers up to 36500'

const brokenCohorts: readonly (readonly [{ name: string; text: string }, string, string])[] = [
  [cohort({ cohort: undefined }), "'cohort' is missing", 'either age_days or created'],
  [cohort({ title: undefined }), "'title' is missing", 'either age_days or created'],
  [cohort({ created: undefined }), 'neither age_days nor created', 'either age_days or created'],
  [cohort({ age_days: [90, 200] }), 'both age_days and created', 'either age_days or created'],
  [cohort({ cohort: 7 }), 'cohort 7 must be a text', 'either'],
  [cohort({ cohort: 'Top' }), 'cohort "Top" must be at most 30', 'either'],
  [cohort({ cohort: '1y' }), 'begin with a letter', 'either'],
  [cohort({ cohort: 'x'.repeat(31) }), 'must be at most 30', 'either'],
  [cohort({ cohort: 'under_5_sats' }), 'satoshis', 'either'],
  [cohort({ cohort: 'y2021' }), "'sopr_y2021' is a metric of Coinstrata", "the cohort, for example to 'own_y2021'"],
  [cohort({ title: 'long-term holders' }), "'MVRV of long-term holders' is a name of 'lth_mvrv'", 'another title'],
  [cohort({ title: '' }), 'is empty', 'either'],
  [cohort({ title: 'x'.repeat(61) }), 'more than 60 characters', 'either'],
  [cohort({ description: 'Mine.' }), "there is no field 'description'", 'either'],
  [cohort({ created: undefined, crated: [] }), "no field 'crated', did you mean 'created'?", 'either'],
  [cohort({ created: '2021' }), `created "2021" ${rangeOfDays}`, 'either'],
  [cohort({ created: ['2021-06-30', '2021-01-01'] }), rangeOfDays, 'either'],
  [cohort({ created: ['2021-02-30', '2021-06-30'] }), rangeOfDays, 'either'],
  [cohort({ created: ['2021-01-01'] }), rangeOfDays, 'either'],
  [cohort({ created: ['01/01/2021', '30/06/2021'] }), rangeOfDays, 'either'],
  [cohort({ created: ['1021-01-01', '2021-06-30'] }), rangeOfDays, 'either'],
  [aged('90 to 200'), `age_days "90 to 200" ${rangeOfAges}`, 'either'],
  [aged(null), `age_days null ${rangeOfAges}`, 'either'],
  [aged([200, 90]), rangeOfAges, 'either'],
  [aged([90, 90]), rangeOfAges, 'either'],
  [aged([90]), rangeOfAges, 'either'],
  [aged([-1, 90]), rangeOfAges, 'either'],
  [aged([0.5, 90]), rangeOfAges, 'either'],
  [aged([0, 36_501]), rangeOfAges, 'either'],
]

describe('cohorts of one’s own', () => {
  it('have the measures of other cohorts, with their tiers, by age or day of creation', () => {
    const ripe = {
      ...cohort({ cohort: 'ripe', title: 'ripe coins', created: undefined, age_days: [90, 200] }),
      name: 'b.json',
    }
    const { cohorts, metrics, formulas, problems } = check(cohort({}), ripe)
    expect(problems).toEqual([])
    expect(cohorts).toEqual([
      // 2021-01-01 up to the end of 2021-06-30.
      { id: 'top', kind: 'created', from: 18_628, to: 18_809 },
      { id: 'ripe', kind: 'age', lower: 90, upper: 200 },
    ])
    const byId = new Map(metrics.map((metric) => [metric.id, metric]))
    expect(byId.get('realized_price_top')).toMatchObject({
      name: 'Realized price of coins of the top',
      description: expect.stringContaining('coins created from 2021-01-01 to 2021-06-30'),
      formula: 'realized_cap_top / supply_top',
      category: 'own',
      table: 'own_metrics',
      column: 'realized_price_top',
      endpoint: 'series',
      source: 'the operator of this service',
      grade: 0,
    })
    expect(byId.get('realized_price_top')).not.toHaveProperty('cohort')
    expect(byId.get('mvrv_ripe')?.description).toContain('coins aged 90 days or more and less than 200 days')
    expect(byId.get('supply_sats_top')).toMatchObject({
      unit: 'sats',
      whole: true,
      from: { table: 'cohorts', column: 'supply_sats', key: 'top' },
    })
    expect([byId.get('sopr_top')?.grade, byId.get('nupl_ripe')?.grade]).toEqual([1, 1])
    expect(formulas.get('mvrv_ripe')?.text).toBe('price * supply_ripe / realized_cap_ripe')
    expect([...byId.keys()].filter((id) => id.startsWith('created_'))).toEqual([])
  })

  it.each(brokenCohorts)('are refused by name with a cure: %o', (one, problem, cure) => {
    const { cohorts, metrics, problems } = check(one, file({ id: 'other', title: 'Other' }, 'b.json'))
    expect(cohorts).toEqual([])
    expect(metrics.map(({ id }) => id)).toEqual(['other'])
    expect(problems).toHaveLength(1)
    expect(problems[0]?.message).toMatch(/^a\.json: /)
    expect(problems[0]?.message).toContain(problem)
    expect(problems[0]?.cure).toContain(cure)
  })

  it('that are left out leave out the metrics that refer to them', () => {
    const spread = file({ id: 'spread', title: 'Spread', formula: 'mvrv_y2021 - mvrv' }, 'b.json')
    const { metrics, problems } = check(cohort({ cohort: 'y2021' }), spread)
    expect(metrics).toEqual([])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining("a.json: 'sopr_y2021' is a metric of Coinstrata"),
      expect.stringContaining("b.json: formula: at position 1, 'mvrv_y2021' is a metric of your own that is left out"),
    ])
  })

  it('and metrics with one of their ids are refused where they come second', () => {
    const metric = (name: string) => file({ id: 'supply_top', title: 'Mine' }, name)
    const message = "defines 'supply_top', as a.json does"
    const second = check(cohort({}), metric('b.json'))
    expect([second.cohorts.length, second.problems.map((one) => one.message)]).toEqual([1, [`b.json: ${message}`]])
    const first = check(metric('a.json'), cohort({}, 'b.json'))
    expect([first.cohorts, first.problems.map((one) => one.message)]).toEqual([[], [`b.json: ${message}`]])
    expect(first.metrics.map(({ id }) => id)).toEqual(['supply_top'])
  })

  it('do not count as metrics, and are limited in number', () => {
    const many = Array.from({ length: maxOwnCohorts + 1 }, (_, i) =>
      cohort({ cohort: `c${i}`, title: `group ${i}` }, `c${i}.json`),
    )
    const others = Array.from({ length: maxOwnMetrics }, (_, i) =>
      file({ id: `m${i}`, title: `Number ${i}`, formula: `mvrv_c${i % maxOwnCohorts} + 1` }, `m${i}.json`),
    )
    const { cohorts, metrics, problems } = check(...others, ...many)
    expect(cohorts).toHaveLength(maxOwnCohorts)
    expect(problems.map(({ message }) => message)).toEqual([
      `c${maxOwnCohorts}.json: there are more than ${maxOwnCohorts} cohorts of your own`,
    ])
    expect(metrics.filter(({ id }) => /^m\d+$/.test(id))).toHaveLength(maxOwnMetrics)
  })
})
