import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishSmallGeneration, replaceSmallTable } from '#test/api/support/small-generation.ts'
import { coinstrata, temporaryFolder } from '#test/support/program.ts'

// On the n-th day from 2023-01-01 the price is n and the volume 2n; both are unknown on the first
// ten.
const folder = temporaryFolder('agree')
const dataDir = path.join(folder, 'data')
const file = path.join(folder, 'theirs.csv')
beforeAll(() => publishSmallGeneration(dataDir))
afterAll(() => rmSync(folder, { recursive: true }))

async function agree(lines: readonly string[], ...args: string[]) {
  writeFileSync(file, `${lines.join('\n')}\n`)
  return coinstrata(['agree', '--data-dir', dataDir, '--with', file, ...args])
}

const beginning = (extent: string): string => `${file} (${extent})\nbeside generation small of regtest\n`

describe('agree', () => {
  test('compares each column that has the name of a metric, in any order of days and form of dates', async () => {
    const seconds = Date.UTC(2023, 0, 13) / 1000
    const { exitCode, stdout, stderr } = await agree([
      'Time,PRICE,Umsätze,comment',
      `${seconds},12,24,a`,
      '2023-01-12T00:00:00.000000000Z,11,22,b',
      `${1000 * (seconds + 86_400)},13,26,"c, d"`,
    ])
    expect(stderr).toBe('')
    expect(stdout).toBe(
      `${beginning('2023-01-12 to 2023-01-14')}PRICE = price: 3 of 3 days equal\nUmsätze = volume: 3 of 3 days equal\n` +
        'not compared, because no metric has the name: comment\n',
    )
    expect(exitCode).toBe(0)
  })

  test('finds the one wrong value, and what only one of the two knows', async () => {
    const { exitCode, stdout } = await agree([
      'date,price',
      '2023-01-03,7',
      '2023-01-12,11',
      '2023-01-13,15',
      '2023-01-14,13',
      '2023-01-15,',
      '2024-02-05,1',
    ])
    expect(stdout).toBe(
      `${beginning('2023-01-03 to 2024-02-05; days that are not published: 1')}` +
        'price: 2 of 3 days equal, median difference 0, largest 20 %\n' +
        '  2023-01-13  theirs 15, ours 12 (20 %)\n' +
        '  days with a value only in the file: 2\n  days with a value only here: 1\n',
    )
    expect(exitCode).toBe(1)
  })

  test('finds the one wrong date', async () => {
    const { stdout, exitCode } = await agree(['date,price', '2023-01-12,11', '2023-02-13,12', '2023-01-14,13'])
    expect(stdout).toContain('2 of 3 days equal')
    expect(stdout).toContain('\n  2023-02-13  theirs 12, ours 43 (258 %)\n')
    expect(exitCode).toBe(1)
  })

  test('compares with a formula, and says when all differ by one factor', async () => {
    const lines = ['t,v,w', '2023-01-12,0.13,22', '2023-01-13,0.14,24']
    const asked = ['--column', 'v=price + 2', '--column', 'w=traded_volume']
    const { stdout, exitCode } = await agree(lines, ...asked)
    expect(stdout).toContain('v = price + 2: 0 of 2 days equal, median difference 9900 %, largest 9900 %\n')
    expect(stdout).toContain(
      '  ours is 100 times theirs, median difference 0: is theirs a fraction, ours in percent?\n',
    )
    expect(stdout).toContain('w = traded_volume: 2 of 2 days equal\n')
    expect(exitCode).toBe(1)
    const scaled = await agree(lines, '--column', 'v=(price + 2) / 100')
    expect(scaled.stdout).toContain('v = (price + 2) / 100: 2 of 2 days equal\n')
    expect(scaled.exitCode).toBe(0)
  })

  test('counts as equal what is within the tolerance, and gives every day that is not as JSON', async () => {
    const lines = ['date,price', '2023-01-12,11.1', '2023-01-13,12', '2023-01-14,0']
    const strict = await agree(lines, '--json')
    expect(strict.exitCode).toBe(1)
    expect(JSON.parse(strict.stdout)).toMatchObject({
      generation: 'small',
      columns: [
        {
          column: 'price',
          ours: 'price',
          days: 3,
          equal: 1,
          relation: null,
          median: 1 - 11 / 11.1,
          differing: [
            { date: '2023-01-14', theirs: 0, ours: 13, difference: null },
            { date: '2023-01-12', theirs: 11.1, ours: 11 },
          ],
        },
      ],
    })
    const { stdout } = await agree(lines, '--tolerance', '0.01')
    expect(stdout).toContain('price: 2 of 3 days equal, median difference 0.901 %, largest theirs is 0\n')
  })

  const seconds = (day: number): number => Date.UTC(2023, 0, day) / 1000

  test.each([
    ['Glassnode', `[{"t":${seconds(12)},"v":11},{"t":${seconds(13)},"v":null},{"t":${seconds(14)},"v":13}]`, 'v'],
    ['Glassnode, more values', `[{"t":${seconds(12)},"o":{"v":11,"w":1}},{"t":${seconds(13)},"o":{"v":12}}]`, 'v'],
    [
      'Coin Metrics',
      '{"data":[{"asset":"btc","time":"2023-01-12T00:00:00.000000000Z","P":"11"},{"asset":"btc","time":"2023-01-13T00:00:00.000000000Z","P":"12"}],"next_page_token":"x"}',
      'P',
    ],
  ])('reads the JSON of %s', async (_, text, column) => {
    const { stdout, exitCode } = await agree([text], '--column', `${column}=price`)
    expect(stdout).toContain(`${column} = price: 2 of 2 days equal\n`)
    expect(exitCode).toBe(0)
  })

  test.each([
    ['another day', (n: number) => n + 1, 'ours of the day after is theirs, median difference 0'],
    ['another unit', (n: number) => n * 1e8, 'ours is 1e-8 times theirs, median difference 0: is theirs in satoshis?'],
    ['millions', (n: number) => n / 1e6, 'ours is 1000000 times theirs, median difference 0: is theirs in millions?'],
    [
      'both',
      (n: number) => (n - 1) / 100,
      'ours of the day before is 100 times theirs, median difference 0: is theirs a fraction, ours in percent?',
    ],
  ])('says when theirs has %s', async (_, theirs, message) => {
    const days = Array.from({ length: 9 }, (_, i) => `${seconds(41 + i)},${i === 4 ? 1 : theirs(40 + i)}`)
    expect(
      (await agree(['t;price', ...days.map((line) => line.replace(',', ';').replace('.', ','))])).stdout,
    ).toContain(message)
    const off = Array.from({ length: 9 }, (_, i) => `${seconds(41 + i)},${theirs(40 + i) * (1 + i / 10)}`)
    expect((await agree(['t,price', ...off])).stdout).not.toContain('theirs, median')
  })

  test.each([
    ['no dates', ['day of week,price', 'Monday,1'], [], 'line 1: no line names the columns'],
    ['a date that is none', ['date,price', '2023-02-30,1'], [], 'line 2: date "2023-02-30" is not a date'],
    ['a time zone', ['date,price', '2023-02-03T00:00+09:00,1'], [], 'is not a date'],
    ['a day twice', ['date,price', '2023-02-03 00:00,1', '2023-02-03 12:00,1'], [], 'line 3: 2023-02-03 appears twice'],
    ['a word', ['date,price', '2023-02-03,12 USD'], [], 'line 2: price "12 USD" is not a number'],
    ['no rows', ['date,price'], [], 'line 1: there are no rows after the header'],
    ['a column twice', ['date,price,price', '2023-02-03,1,1'], [], 'repeated column "price"'],
    ['no metric', ['date,v', '2023-02-03,1'], [], 'has the name of a metric'],
    ['a column that is missing', ['date,v', '2023-02-03,1'], ['--column', 'w=price'], 'the file has no column "w"'],
    ['half a column', ['date,v', '2023-02-03,1'], ['--column', 'v'], 'it is not of the form THEIRS=OURS'],
    ['an unknown formula', ['date,v', '2023-02-03,1'], ['--column', 'v=prise*2'], "did you mean 'price'?"],
    ['a tolerance of 5', ['date,price', '2023-02-03,1'], ['--tolerance', '5'], 'no fraction from 0 to 1'],
  ])('refuses %s', async (_, lines, args, message) => {
    const { exitCode, stdout, stderr } = await agree(lines, ...args)
    expect(stderr).toContain(message)
    expect(stdout).toBe('')
    expect(exitCode).toBe(2)
  })

  test.each([
    ['is as good as it must be', 'CASE WHEN price % 200 = 7 THEN 1.03 ELSE 1.001 END', 0, '389 of 390'],
    ['differs too often', 'CASE WHEN price % 50 = 7 THEN 1.03 ELSE 1.001 END', 1, '383 of 390'],
    ['differs too much', '1.004', 1, '390 of 390'],
    ['is not known on all days', 'CASE WHEN price > 30 THEN 1.001 END', 0, '369 of 369'],
    ['is hardly known', 'CASE WHEN price > 380 THEN 1 END', 1, '19 of 19'],
  ])('judges a price from the chain that %s', async (_, factor, expected, days) => {
    const place = path.join(folder, 'chain')
    rmSync(place, { recursive: true, force: true })
    await publishSmallGeneration(place)
    const row = "FROM before WHERE id = 'secret_price'"
    const renamed = "SELECT * REPLACE ('price_onchain' AS id, 'price_onchain' AS column_name, 'price_onchain' AS field)"
    await replaceSmallTable(place, 'catalogue', `FROM before UNION ALL (${renamed} ${row})`)
    await replaceSmallTable(place, 'metrics_market', `SELECT *, price * (${factor}) AS price_onchain FROM before`)
    const { exitCode, stdout, stderr } = await coinstrata(['agree', '--data-dir', place, '--price-onchain'])
    expect(stderr).toBe('')
    expect(stdout).toContain(`price = price_onchain: ${days} days equal`)
    expect(stdout).toContain(`the price from the chain is ${expected === 0 ? '' : 'not '}as good as it must be`)
    expect(exitCode).toBe(expected)
  })

  test('needs something to compare with', async () => {
    const { exitCode, stderr } = await coinstrata(['agree', '--data-dir', dataDir])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('give --with FILE, or --price-onchain')])
  })
})
