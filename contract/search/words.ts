import { ageBands } from '../cohorts.ts'

const ignored = new Set(
  'a an and are as at by de do for how in is it la le les metric of on or s that the to what which with'.split(' '),
)

/** Words of the catalogue, each followed by words that the rules of `stem` do not turn into it. */
const spellings: ReadonlyMap<string, string> = new Map(
  `
price prise prix precio preis, high hi highs, low lo, people ppl folks, government govt gov,  realized realizado realise, spend spent, sell sold, buy bought, pay paid, hold held,
lose lost losing, address adress adresses, profit profitable profitability, usd dollars dollar, fall fell fallen, old oldest, risk risky riskier, rise rose risen, scarce rare, gain gains, volatility vol, revenue income earnings payout, mean average avg, transaction tx txs,
flow inflow inflows outflow outflows, premium discount, take taken took, percent percentage, change growth grow growing increase increased decrease decreased,
strategy microstrategy mstr saylor, mara marathon, kingdom uk britain british, emirates uae, salvador bukele salvadoran, china chinese, germany german, ukraine ukrainian,
bhutan bhutanese, korea korean, ibit blackrock ishares, fbtc fidelity, gbtc grayscale, arkb cathie, bitb bitwise, brrr valkyrie, ezbc franklin, btco invesco,
btcw wisdomtree, gamestop gme, tesla tsla, option options
`
    .split(',')
    .map((group) => group.trim().split(' '))
    .flatMap(([word = '', ...others]) => others.map((other) => [other, word] as const)),
)
/** Not forms of other words: a funding rate has nothing to do with funds. */
const irregular: ReadonlySet<string> = new Set(['funding', 'basis', 'news', 'runes', 'option'])

/** Without accents, case, articles and the like. */
export const splitRaw = (text: string): string[] => splitLine(normalize(text))

const splitLine = (line: string): string[] => (line.match(/[a-z0-9]+/g) ?? []).filter((word) => !ignored.has(word))

/** `splitRaw` of each text, in a quarter of the time. */
export const splitAll = (texts: readonly string[]): string[][] => normalize(texts.join('\n')).split('\n').map(splitLine)

/** The stems of `splitRaw`. */
export const splitWords = (text: string): string[] => splitRaw(text).map(stem)

/** In days. */
const durations: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '1w': '7d',
    weekly: '7d',
    '2w': '14d',
    fortnight: '14d',
    '1m': '30d',
    monthly: '30d',
    '3m': '90d',
    '6m': '180d',
    '12m': '365d',
    '1y': '365d',
    '24m': '730d',
    '2y': '730d',
  }),
)

const maxStems = 50_000
const stems = new Map<string, string>()

/** Without plural, -ing, -ed or final e, in American spelling: `realised` equals `realizing`. */
export function stem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  const found = findStem(word)
  if (stems.size < maxStems) stems.set(word, found)
  return found
}

function findStem(word: string): string {
  const form = spellings.get(word) ?? spellings.get(word.replace(/s$/, '')) ?? durations.get(word) ?? word
  if (form.length <= 3 || /\d/.test(form) || irregular.has(form)) return form
  const singular = form.replace(/ies$/, 'y').replace(/(?<=ss|x|sh|ch)es$|(?<![su])s$/, '')
  const base = singular.replace(/(?<=[aeiouy].+)(?<=..[^e])(?:ing|ed)$/, '')
  const single = base === singular ? base : base.replace(/([^aeiouslz])\1$/, '$1')
  return single
    .replace(/(?<=..(?:al|ive|ic|id|et|ent|ick|ow|ous))ly$/, '')
    .replace(/(?<=..)is(?=e?$|at)/, 'iz')
    .replace(/(?<=...)e$|(?<=..t)ion$/, '')
}

const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const numbers =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const unit = '(hour|day|week|month|year|yr)s?\\b'

const sizes = '1|10|100|1k|10k|100k|1m|10m'
const coinUnit = '(?:btc|bitcoins?|coins?|sats?|satoshis?)\\b'

/** Such as `over1kbtc`. */
const sizeWord = (kind: string, text: string): string =>
  `${kind}${text.match(/\d+[km]?/g)!.join('to')}${/sat/.test(text) ? 'sats' : 'btc'}`

const bands = ageBands.map(({ id }) => id.replace('_', '[ -]+'))

/** Days as ids write ages of coins. */
const monthsOf = (days: number): string => (days < 365 ? `${Math.round(days / 30)}m` : '1y')

/** Phrases as one word, in order: `lth` for long-term holders, `over5y` for five years or more. */
const phrases: readonly (readonly [RegExp, string | ((text: string) => string)])[] = [
  [/n['’]t\b|(?<=\b(?:have|has|had|do|does|did|is|are|was|were))nt\b/g, ' not'],
  [
    /\bpay[- ]to[- ](?:witness[- ])?(?:public[- ]key|pubkey|script)(?:[- ]hash)?\b/g,
    (text) => `p2${text.slice('pay to '.length).replaceAll(/(\w)(?:ub(?=key)|\w*)[- ]?/g, '$1')}`,
  ],
  [/['’](?:m|re|ve|ll|d)\b/g, ''],
  [/%|\bpct\b|\bper cent\b/g, ' percent '],
  [
    new RegExp(`\\b(${tens.join('|')})(?=[ -](?:percent|${unit}))`, 'g'),
    (word) => String(10 * (tens.indexOf(word) + 2)),
  ],
  [
    /(?<!\b(?:over|in|for) the )\b(l|s)(?:ong|hort)(?:[ -]?(?:term|time|run|haul)(?!(?:ed)? (?:trend|average|mean|moving|growth|return|model))(?:e?rs?\b| (?:investor|owner)s?|[ -]hold(?:er|ing)s?)?|[ -]holders?)\b/g,
    '$1th',
  ],
  [
    /\b(?:(?:old|strong|diamond) hands|hodlers?(?! net)|veterans?|old[ -]timers?|(?:old(?! and new)|patient|seasoned|experienced|committed|long-?standing|die-?hard) (?:investor|owner|holder|believer)s?)\b/g,
    'lth',
  ],
  [
    /\b(?:weak hands|(?:new|recent|fresh) (?:(?:buy|invest|hold|play)[eo]r|owner|entrant|guy|kid|participant|crowd)s?|(?:new|recent|fresh|late) purchasers?|late buyers|latecomers?|newcomers?|newbies?|noobs?|rookies?|tourists?|(?:people|those|anyone) who (?:recently bought|bought recently))\b/g,
    'sth',
  ],
  [/\b(?:united states|u\.s\.a?\.?|usa|(?:us|american)(?= (?:govern|state|strategic|reserve)))/g, 'usa'],
  [/\bhong kong\b/g, 'hk'],
  [
    /\b(?:since (?:the )?(?:very )?(?:beginning|start|genesis|inception|day one)(?! of)|(?:in|over|of) (?:the |its )?(?:entire|whole|full|all)(?: of)? (?:history|lifetime)|in all time)\b/g,
    'cumulative',
  ],
  [/\b(total|sum|all)( .*)? ever\b|\b(how (?:much|many))( .*)? ever(?= (?!exist|be\b))/g, '$1$3 cumulative$2$4'],
  [/\blth *(?:\/|vs\.?|versus|against|divided by|to|and|or|compared (?:with|to)|relative to) *sth\b/g, 'lth sth ratio'],
  // Outputs by size, in the words of the ids: `over1kbtc`, `under1btc`, `from10to100btc`.
  [/\b0\.1 (?:btc|bitcoins?|coins?)\b/g, '10m sats'],
  [/\b0\.01 (?:btc|bitcoins?|coins?)\b/g, '1m sats'],
  [/\b0\.001 (?:btc|bitcoins?|coins?)\b/g, '100k sats'],
  [/\b(\d+)(?:,?000)(?= (?:btc|bitcoins?|coins?|sats?)\b)/g, '$1k'],
  [
    /\b(?:an? |one )?(thousand|hundred)(?= (?:btc|bitcoins?|coins?)\b)/g,
    (text) => (text.includes('t') && text.includes('thousand') ? '1k' : '100'),
  ],
  [
    new RegExp(
      `\\b(?<=than |above |below |over |under |least |to |up to |of )(?:an?|one|ten)(?: (?:whole|full|single))? (?=${coinUnit})`,
      'g',
    ),
    (text) => (text.startsWith('ten') ? '10 ' : '1 '),
  ],
  [new RegExp(`\\bten (?=${coinUnit} (?:or|and) more)`, 'g'), '10 '],
  [/\b(100|1k|10k) ?(?:\+|plus)? (?:btc )?whales?\b/g, 'whale addresses over $1 btc'],
  [
    new RegExp(`\\b(?:over|(?:more|larger|bigger|greater) than|above|at least) (${sizes}) ?${coinUnit}`, 'g'),
    (text) => sizeWord('over', text),
  ],
  [new RegExp(`\\b(${sizes}) ?(?:plus )?${coinUnit}(?: (?:or|and) more)`, 'g'), (text) => sizeWord('over', text)],
  [
    new RegExp(`\\b(?:under|(?:less|smaller|fewer) than|below|up to) (${sizes}) ?${coinUnit}`, 'g'),
    (text) => sizeWord('under', text),
  ],
  [
    new RegExp(`\\b(${sizes})(?: btc| sats?)? ?(?:to|and|-)? ?(${sizes}) ?${coinUnit}`, 'g'),
    (text) => sizeWord('from', text),
  ],
  [
    /\b(?:(mvrv|sopr|nupl|dormancy|cost basis|realized \w+) (?:of|for|by) (?:the )?whales?|whales?['’]?s? (?=mvrv|sopr|nupl|dormancy|cost basis|realized ))\b/g,
    '$1 over1kbtc ',
  ],
  [
    /\b(?:taproot (?=coins?\b|utxos?\b|holders?\b|supply\b|addresses hold)|(?:coins?|bitcoins?|btc|value|money|supply|amount|much)(?: (?:is|are|held|stored|kept|sits?|sitting|locked))* (?:in|on|at|with) (?:a )?(?:taproot|bc1p)(?: addresses| outputs)?)\b/g,
    'supply p2tr ',
  ],
  [/\b(?:tether|usdt) (?:on|over|via|using)(?: the)? (?:bitcoin|btc)\b/g, 'omni layer'],
  [/\bcoinbase (?=coins?\b|outputs?\b|rewards?\b)/g, 'mined '],
  [/\bquantum[- ](?:vulnerable|exposed|unsafe)\b/g, 'exposed quantum'],
  [/\bbreak(?:s|ing)?[ -]?evens?\b/g, 'breakeven'],
  [/\bunder ?-?water\b/g, 'underwater'],
  [/\b([es]?ma|rsi)(?=\d)/g, '$1 '],
  [/\bclose to\b/g, 'near'],
  // "Over a month" is the duration of sales and returns, but the age of coins.
  [
    /(?<!\b(?:coins?|supply|held|hold|unmoved|idle|dormant|moved|slept|asleep|untouched|outputs?|utxos?|bitcoins?|btc|holders?|for|in|not|stayed|sat|rested)(?: \w+)? )\bover an? (?=(?:week|month|quarter|year)\b)/g,
    'within a ',
  ],
  [/\bhalf (?:a )?decade\b/g, '5y'],
  [/\ba decade\b/g, '10y'],
  [/\bhalf[ -](?:a[ -])?year(?:ly)?\b/g, '6m'],
  [/\b(?:quarterly|(?:past|last|a|one|the) quarter(?! of))\b/g, '3m'],
  [
    new RegExp(`\\b(${numbers.join('|')})(?=[ -](?:(?:to|and|or) \\w+ )?${unit})`, 'g'),
    (word) => String(numbers.indexOf(word)),
  ],
  [new RegExp(`\\b(?<=over |than |under |within |for |least )an? (?=${unit})`, 'g'), '1'],
  [new RegExp(`\\b(\\d+) ?(?:to|-|(?<=between \\d+ )and) ?(?=\\d+[ -]?${unit})`, 'g'), '$1 $2s '],
  [new RegExp(`\\b(\\d+)[ -]?${unit}`, 'g'), (text) => text.replace(/(\d+)[ -]?(.).*/, '$1$2')],
  [/\b(\d+[hdwmy]) (?:to|(?<=between \w+ )and) (?=\d+[hdwmy]\b)/g, '$1 '],
  [/(?<=\b\d+[hdwmy])[ -]old\b/g, ''],
  [
    /\b(?<!(?:more|over|older|longer|less) )(?:than|since|from|as|to)(?: it (?:was|were)| we were)? \d+[dwmy] ago\b/g,
    '',
  ],
  [/\b(?:over|(?:old|long)er than|more than|at least) 155d\b/g, 'lth'],
  [/\b(?:under|younger than|less than) 155d\b/g, 'sth'],
  [
    /\b(?:24m 36|36m 60|60m 84|84m 120)m\b/g,
    (text) => text.replaceAll(/(\d+)m/g, (_, months) => `${Number(months) / 12}y`),
  ],
  [new RegExp(`\\b(?:${bands.join('|')})\\b`, 'g'), (band) => band.replace(/[ -]+/, '')],
  [/\b(?:12|24|36|48|60|120)m\b/g, (text) => `${Number.parseInt(text, 10) / 12}y`],
  [/\b(\d+)w(?= ?(?:[es]?ma|moving|average)\b)/g, (text) => `${Number.parseInt(text, 10) * 7}d`],
  [/\b(\d+) ?([dwmy]) ?ma\b/g, '$1$2 moving average'],
  [/\b(?:(?:more|older|longer) than|at least) (?=\d+[wmy]\b)/g, 'over '],
  [
    /\b(buyers?|bought|coins?|holders?|invested|moved|got in|came in|joined|entered) (?:from|in|within|of|during|over) (?:the )?(?:last|past) (?=\d+[dwmy]\b|(?:week|month|year)\b)/g,
    '$1 under ',
  ],
  [/\b(?:last|past) (week|month|year)['’]?s (buyer|holder)s\b/g, '$2s under $1'],
  [/\bunder (?=(?:week|month|year)\b)(\w)\w+/g, 'under 1$1'],
  [/\bunder (?:30|60|90|180|365)d\b/g, (text) => `under ${monthsOf(Number.parseInt(text.slice(6), 10))}`],
  [/\bunder 5m\b/g, 'sth'],
  [/\bover 5m\b/g, 'lth'],
  [/\b(?:less|younger|newer) than (?=\d+[wmy]\b)/g, 'under '],
  [/(?<!over )\b(\d+[wmy])(?: ?\+| plus\b| (?:or|and) (?:more|older|longer)\b)/g, 'over $1'],
  [/(moved|unmoved|dormant|untouched|asleep|inactive|budged|stirred)(?: for| in)? (?=\d+[wmy]\b)/g, '$1 over '],
  [
    /(?<!\b(?:(?<!realized )price|cagr|gain|change|return|performance|growth|grow|average|mean|sum|total|flow|made|make|roi|rate|up|down|lost|day|trend|volatility|bought|sold|buy|sell)s? (?!under))(?<!\b(?:return|performance|volatility|risk|reward|stack|stacking|dca|saving|savings|saver|growth|average (?:age|purchase|price|entry))(?: \w+){0,3} )\b(over|under) (?=\d+[wmy]\b(?! moving))/g,
    '$1',
  ],
  [/\b(?:dormant|asleep|inactive|(?:un|not (?:been )?|never )(?:moved|touched))(?: for| in)? (?=over\d)/g, ''],
  [
    /(?<!\b(?:bought|moved|touched|coins)(?: \w+)? )\b(?:in|over|during|for|within)(?: the)? (?:last|past|previous) 24h\b/g,
    'today',
  ],
  [/\b(volume|trad(?:ing|ed)|turnover)\b(.*)\b24h\b/g, '$1$2today'],
  [/\b24h (?=(?:change|return|gain|loss|move|performance|drop|rise|trading|volume))/g, '1d '],
  [/\b((?:change|return|gain|loss|move|performance|drop|rise)s?(?: \w+){0,3} )24h\b/g, '$11d'],
  [
    /\b(return|gain|dca|dca price|bought|buy|buying|purchases?|invest(?:ed|ing)?|averaging|stack(?:ed|ing)?|saved|up|performance)((?: \w+){0,4}) since (20\d\d)\b/g,
    '$1$2 since$3',
  ],
  [
    /(?<=\b(?:plan|saver|savings|saving|outcome|result|performance|did (?:it|btc|bitcoin|the (?:coin|price))|gain|gained|risen|grown)\b.*)\bsince (?:(?:the )?(?:start|beginning|january)(?: of)? )?(20\d\d)\b/g,
    'since$1',
  ],
  [
    /\b((?:every|each|per|a) (?:day|week|month)(?: \w+){0,3}) since (?:(?:the )?(?:start|beginning|january) (?:of )?)?(20\d\d)\b/g,
    '$1 since$2',
  ],
  // Only coins are grouped by year: "coins bought in 2021", but not "price in 2021".
  [
    /\b((?:coins?|buyers?|holders?|investors?|owners?|miners?|people|folks|guys|those|(?:any|some|every|no)(?:one|body)) (?:from|of|in|since)|(?:got|came|jumped|piled|bought|entered|joined|invested|purchased|acquired|paid|created|minted|mined)(?: \w+)? (?:in|into|during|at|around)|(?:held|unspent|stayed put|sat still|resting|unmoved|untouched|dormant|asleep|sitting|(?:not|never) (?:been )?(?:moved|touched|spent|sold|budged)) since|first year,?) ((?:(?:back|in|the|early|late|top|peak|bull|boom|year|of|class) )*)(?=20\d\d\b)/g,
    '$1 $2y',
  ],
  [/\b(?:class|vintage|buyers) of (20\d\d)\b/g, 'coins y$1'],
  [/\b(20\d\d) (?=(?:coin|buyer|holder|investor|vintage)s?\b)/g, 'y$1 '],
]

const normalize = (text: string): string =>
  phrases.reduce(
    (result, [phrase, words]) =>
      typeof words === 'string' ? result.replaceAll(phrase, words) : result.replaceAll(phrase, words),
    text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase(),
  )

export const containsAll = (words: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((word) => words.includes(word))

const fillers: ReadonlySet<string> = new Set(
  (
    'about above actually already am any average be been being below big bitcoin btc can chart coin could current currently daily data day did does ever everybody everyone ' +
    'far find from getting give go going good got had happen happened has have i indicator into just know last latest let ' +
    'like look make many market me mean moment month more most much my need next now our out over own people please put really recent ' +
    'recently right see should show signal since so some still tell than their them there these they thing this time today too under up ' +
    'us use usually versus very vs want was we week were when where who whose why would year yesterday yet you your ' +
    'amount become come far large less long number one overall past per person short sit ' +
    'act along anyone anything apart back beat bet bother bring brought care case chance cover done event everywhere fail ' +
    'feel fill fine form gave given gone his kind knew lack learn life lot lots love mark met mind mouth nearly none nor once ' +
    'ordinary original outside page path play poor probably provide pull quiet raise read ride run said say seven shape shock ' +
    'sign smart solid someone something sometimes somewhere sort speak stage stand stop tend term think thought together told ' +
    'tracking trader useless walk biggest largest greatest highest lowest best worst wear well whole wind word ' +
    'whats across after ago also because before between during etc ever many near only take there through type until while without'
  )
    .split(' ')
    .map(stem),
)

/** Fillers say nothing about the subject; every series has years. */
export const isFiller = (word: string): boolean => fillers.has(word) || /^20\d\d$/.test(word)
