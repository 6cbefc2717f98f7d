import { expect, test } from 'vitest'
import { formatTick, formatValue } from '#render/draw/number-format.ts'

const write = (format: Parameters<typeof formatTick>[0], step: number | undefined, ...values: number[]) =>
  values.map((value) => formatTick(format, value, step))

test('large numbers are shortened to thousands, millions, billions and trillions', () => {
  expect(write('number', undefined, 950, 84_000, 2_500_000, 1.2e9, 1.2e12)).toEqual([
    '950',
    '84k',
    '2.5M',
    '1.2B',
    '1.2T',
  ])
})

test('neighbouring ticks get the same decimals, as many as tell them apart', () => {
  expect(write('number', 50_000, 900_000, 950_000, 1_000_000, 1_050_000)).toEqual(['900k', '950k', '1.00M', '1.05M'])
  expect(write('number', 0.05, 0, 0.45, 0.5)).toEqual(['0', '0.45', '0.50'])
})

test('numbers that differ in small digits are written in full', () => {
  expect(write('number', 2, 84_300, 84_302)).toEqual(['84,300', '84,302'])
})

test('currency and percent stand around the digits, the minus before all', () => {
  expect(write('currency', 20_000, 0, -40_000, 120_000)).toEqual(['$0', '−$40k', '$120k'])
  expect(write('percent', 5, -5, 12)).toEqual(['−5\u00a0%', '12\u00a0%'])
})

test('physical units count in SI prefixes', () => {
  expect(write('si', 5e20, 5e20, 1e21)).toEqual(['500E', '1.0Z'])
})

test('very small and very large numbers are written as powers of ten', () => {
  expect(write('number', 2e-7, 2e-7, 1e-6)).toEqual(['2e−7', '1.0e−6'])
  expect(write('number', 5e16, 1e17, 1.5e17)).toEqual(['1.0e17', '1.5e17'])
})

test('a single value has three digits, and beside closer ticks as many as these', () => {
  expect([49_780, 0.65468, -62.44].map((value) => formatValue('number', value))).toEqual(['49.8k', '0.655', '−62.4'])
  const beside = (value: number, step: number) => formatValue('number', value, step)
  expect([beside(49_780, 1000), beside(19_558, 20), beside(0.65468, 0.0005)]).toEqual(['49.8k', '19,558', '0.6547'])
})

test('a tiny share beside whole percents is below a thousandth of one', () => {
  expect(formatValue('percent', 0.0000115, 10)).toBe('< 0.001\u00a0%')
  expect(formatValue('percent', 0.00191, 10)).toBe('0.00191\u00a0%')
  expect(formatValue('percent', 0.0000115, 0.000002)).toBe('1.15e\u22125\u00a0%')
  expect(formatValue('percent', 0, 10)).toMatch(/^0/)
})
