import { expect, test } from 'vitest'
import { searchMetrics } from '#contract/search/search.ts'
import { catalogue } from '#test/mcp/support/mainnet-catalogue.ts'
import { userQuestions } from './user-questions.ts'

/** One question for each language and each of some much asked things. */
const questions: Readonly<Record<string, readonly string[]>> = {
  price: [
    ...['wie hoch ist der Bitcoin Preis heute', 'quel est le prix du bitcoin', 'cuánto vale un bitcoin hoy'],
    ...['qual é o preço do bitcoin', 'prezzo del bitcoin oggi', 'какая сейчас цена биткоина', '比特币今天的价格是多少'],
    ...['ビットコインの価格はいくら', '비트코인 가격', 'bitcoin fiyatı ne kadar'],
  ],
  active_addresses: [
    ...['wie viele aktive Adressen gibt es', 'nombre d’adresses actives', 'direcciones activas por día'],
    ...[
      'endereços ativos',
      'indirizzi attivi',
      'сколько активных адресов',
      '活跃地址数量',
      'アクティブアドレス',
      '활성 주소',
      'aktif adres',
    ],
  ],
  hash_rate_1d: [
    'taux de hachage du réseau',
    'tasa de hash',
    'taxa de hash',
    'хешрейт сети',
    '全网算力',
    'ハッシュレート',
    '해시레이트',
  ],
  fees: ['Gebühren pro Tag', 'frais de transaction', 'comisiones', 'taxas', 'комиссии', '手续费', '手数料', '수수료'],
  market_cap: [
    'Marktkapitalisierung',
    'capitalización',
    'capitalização',
    'капитализация',
    '比特币市值',
    '時価総額',
    '시가총액',
  ],
  lth_supply: [
    'Angebot langfristige Halter',
    'suministro de tenedores a largo plazo',
    '长期持有者供应量',
    '長期保有者の供給量',
  ],
  difficulty: [
    'Schwierigkeit',
    'difficulté',
    'dificultad',
    'dificuldade',
    'сложность',
    '难度',
    '難易度',
    '난이도',
    'zorluk',
  ],
  circulating_supply: [
    'wie viele Bitcoin gibt es im Umlauf',
    'cuántos bitcoin hay',
    'сколько биткоинов',
    '流通量',
    '유통 공급량',
  ],
}
const asked = Object.entries(questions).flatMap(([id, texts]) => texts.map((text) => ({ id, text })))

test('of questions in ten languages, at least 80 % find the metric among the first three', () => {
  const missed = asked.filter(
    ({ id, text }) => !searchMetrics(catalogue.metrics, text, 3).metrics.some((one) => one.id === id),
  )
  process.stdout.write(
    `${asked.length - missed.length} of ${asked.length} found; not: ${missed.map(({ text }) => text).join(', ')}\n`,
  )
  expect(missed.length).toBeLessThanOrEqual(0.2 * asked.length)
  const untracked = asked.filter(({ text }) => searchMetrics(catalogue.metrics, text, 3).notTracked !== undefined)
  expect(untracked.map(({ text }) => text)).toEqual([])
})

test.each([
  ['whats btc worth now', 'price'],
  ['quel est le prix du bitcoin', 'price'],
  ['cuanto cuesta un bitcoin', 'price'],
  ['wie viele wallets haben mehr als 1 bitcoin', 'addresses_over_1_btc'],
  ['1 BTC以上のアドレス数', 'addresses_over_1_btc'],
  ['durchschnittliche Transaktionsgebühr', 'fee_mean'],
  ['coins that havent moved in more than 5 years', 'supply_over_5y'],
  ['lost bitcoins', 'supply_10y_plus'],
  ['supply in pay to witness public key hash', 'supply_p2wpkh'],
  ['coins in pay to public key outputs', 'supply_p2pk'],
  ['mvrv of 1 year to 2 year old coins', 'mvrv_1y_2y'],
  ['active adresses', 'active_addresses'],
  ['what was the price on the last day of the tax year', 'price'],
])('%s finds %s first', (text, id) => {
  const { metrics, notTracked } = searchMetrics(catalogue.metrics, text, 1)
  expect([metrics[0]?.id, notTracked]).toEqual([id, undefined])
})

test('a price question that names taxes is tracked, taxes are not', () => {
  expect(searchMetrics(catalogue.metrics, 'bitcoin price for my tax return 2021', 3).notTracked).toBeUndefined()
  expect(searchMetrics(catalogue.metrics, 'do i pay tax on bitcoin', 3).notTracked).toContain('not tracked: taxes')
})

test('95 % of questions as users write them find an answer among the first three', () => {
  const missed = userQuestions.filter(([text, answers]) => {
    const { metrics, notTracked } = searchMetrics(catalogue.metrics, text, 3)
    expect([text, notTracked !== undefined]).toEqual([text, answers === ''])
    return answers !== '' && !metrics.some(({ id }) => answers.split(' ').includes(id))
  })
  expect(missed.length, missed.map(([text]) => text).join(', ')).toBeLessThanOrEqual(0.05 * userQuestions.length)
})
