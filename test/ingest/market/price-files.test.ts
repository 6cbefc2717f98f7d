import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type PriceFile, readPriceFile } from '#ingest/market/price-file.ts'
import { dataDir, freshDataFolders } from './data-folder.ts'

freshDataFolders()

// The same two bars in every file: of 2024-01-13 and 14, or of the first two hours of 2024-01-13.
const prices = [
  [42_780.5, 43_250, 42_436.25, 42_850.75],
  [42_850.75, 43_090, 41_720, 41_732.5],
] as const
const volumes = { btc: [18_000.5, 15_500.25], usd: [771_000_000.5, 655_000_000.25] } as const
type Volumes = 'btc' | 'usd' | 'both' | 'none'
type Form = 'bars' | 'closes' | 'hours'

function expected(form: Form, volume: Volumes): PriceFile['lines'][number]['row'][] {
  return prices.map(([open, high, low, close], i) => ({
    time: Date.UTC(2024, 0, form === 'hours' ? 13 : 13 + i, form === 'hours' ? i : 0),
    ...(form === 'closes' ? { open: close, high: close, low: close } : { open, high, low }),
    close,
    volume_btc: volume === 'btc' || volume === 'both' ? volumes.btc[i]! : null,
    volume_usd: volume === 'usd' || volume === 'both' ? volumes.usd[i]! : null,
  }))
}

function read(text: string | Buffer): PriceFile {
  const file = path.join(dataDir, 'prices.csv')
  writeFileSync(file, text)
  return readPriceFile(file)
}

const plain =
  'date,open,high,low,close\n2024-01-13,42780.5,43250,42436.25,42850.75\n2024-01-14,42850.75,43090,41720,41732.5\n'
const german =
  'Datum;Eröffnung;Hoch;Tief;Schlusskurs\r\n13.01.2024;42.780,50;43.250,00;42.436,25;42.850,75\r\n14.01.2024;42.850,75;43.090,00;41.720,00;41.732,50\r\n'
const swap16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const s = [1_705_104_000, 1_705_190_400] as const

test.each<[name: string, text: string | Buffer, volume: Volumes, form?: Form]>([
  ['our own', plain, 'none'],
  [
    'our own with volume',
    plain
      .replaceAll(/(close|\.75|\.5)\n/g, '$1,\n')
      .replace('close,', 'close,volume')
      .replace('42850.75,\n', '42850.75,771000000.5\n')
      .replace('41732.5,\n', '41732.5,655000000.25\n'),
    'usd',
  ],
  [
    'our own by the hour',
    'time,open,high,low,close\n2024-01-13T00:00Z,42780.5,43250,42436.25,42850.75\n2024-01-13T01:00Z,42850.75,43090,41720,41732.5\n',
    'none',
    'hours',
  ],
  [
    'CryptoDataDownload, daily',
    'https://www.CryptoDataDownload.com\nunix,date,symbol,open,high,low,close,Volume BTC,Volume USD\n1705190400,2024-01-14 00:00:00,BTC/USD,42850.75,43090,41720,41732.5,15500.25,655000000.25\n1705104000,2024-01-13 00:00:00,BTC/USD,42780.5,43250,42436.25,42850.75,18000.5,771000000.5\n',
    'both',
  ],
  [
    'CryptoDataDownload, hourly with milliseconds',
    'Cryptodatadownload.com\nUnix,Date,Symbol,Open,High,Low,Close,Volume BTC,Volume USDT,tradecount\n1705107600000,2024-01-13 01:00:00,BTCUSDT,42850.75,43090,41720,41732.5,15500.25,655000000.25,9\n1705104000000,2024-01-13 00:00:00,BTCUSDT,42780.5,43250,42436.25,42850.75,18000.5,771000000.5,9\n',
    'both',
    'hours',
  ],
  [
    'investing.com',
    '\uFEFF"Date","Price","Open","High","Low","Vol.","Change %"\n"01/14/2024","41,732.5","42,850.75","43,090.0","41,720.0","15.50025K","-2.61%"\n"01/13/2024","42,850.75","42,780.5","43,250.0","42,436.25","18.0005K","0.16%"\n',
    'btc',
  ],
  [
    'investing.com, older',
    '"Date","Price","Open","High","Low","Vol.","Change %"\n"Jan 14, 2024","41,732.5","42,850.75","43,090.0","41,720.0","-","-2.61%"\n"Jan 13, 2024","42,850.75","42,780.5","43,250.0","42,436.25","-","0.16%"\n',
    'none',
  ],
  [
    'investing.com, French',
    '"Date","Dernier","Ouv."," Plus Haut","Plus Bas","Vol.","Variation %"\n"14/01/2024","41.732,5","42.850,75","43.090,0","41.720,0","15,50025K","-2,61%"\n"13/01/2024","42.850,75","42.780,5","43.250,0","42.436,25","18,0005K","0,16%"\n',
    'btc',
  ],
  [
    'investing.com, German',
    '"Datum","Zuletzt","Eröffn.","Hoch","Tief","Vol.","+/- %"\n"14.01.2024","41.732,5","42.850,75","43.090,0","41.720,0","15,50025K","-2,61%"\n"13.01.2024","42.850,75","42.780,5","43.250,0","42.436,25","18,0005K","0,16%"\n',
    'btc',
  ],
  [
    'Yahoo',
    'Date,Open,High,Low,Close,Adj Close,Volume\n2024-01-12,null,null,null,null,null,null\n2024-01-13,42780.500000,43250.000000,42436.250000,42850.750000,42850.750000,771000000.5\n2024-01-14,42850.750000,43090.000000,41720.000000,41732.500000,41732.500000,655000000.25\n',
    'usd',
  ],
  [
    'Yahoo, copied from its page',
    'Date\tOpen\tHigh\tLow\tClose\tAdj Close\tVolume\nJan 14, 2024\t42,850.75\t43,090.00\t41,720.00\t41,732.50\t41,732.50\t655,000,000.25\nJan 13, 2024\t42,780.50\t43,250.00\t42,436.25\t42,850.75\t42,850.75\t771,000,000.5\n',
    'usd',
  ],
  [
    'TradingView, unix times',
    `time,open,high,low,close,Volume\n${s[0]},42780.5,43250,42436.25,42850.75,18000.5\n${s[1]},42850.75,43090,41720,41732.5,15500.25\n`,
    'btc',
  ],
  [
    'TradingView, ISO times and an indicator',
    'time,open,high,low,close,Volume,MA\n2024-01-13T00:00:00Z,42780.5,43250,42436.25,42850.75,18000.5,NaN\n2024-01-14T00:00:00Z,42850.75,43090,41720,41732.5,15500.25,1\n',
    'btc',
  ],
  [
    'Binance, milliseconds',
    `${s[0]}000,42780.50000000,43250.00000000,42436.25000000,42850.75000000,18000.50000000,${s[0] + 86_399}999,771000000.5,9,1,1,0\n${s[1]}000,42850.75,43090,41720,41732.5,15500.25,${s[1] + 86_399}999,655000000.25,9,1,1,0\n`,
    'btc',
  ],
  [
    'Binance, microseconds',
    `${s[0]}000000,42780.5,43250,42436.25,42850.75,18000.5,${s[0] + 86_399}999999,771000000.5,9,1,1,0\n${s[1]}000000,42850.75,43090,41720,41732.5,15500.25,${s[1] + 86_399}999999,655000000.25,9,1,1,0\n`,
    'btc',
  ],
  [
    'Binance with a header',
    `open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n${s[0]}000,42780.5,43250,42436.25,42850.75,18000.5,0,1,9,1,1,0\n${s[1]}000,42850.75,43090,41720,41732.5,15500.25,0,1,9,1,1,0\n`,
    'btc',
  ],
  [
    'Kraken',
    `${s[0]},42780.5,43250,42436.25,42850.75,18000.5,9\n${s[1]},42850.75,43090,41720,41732.5,15500.25,9\n`,
    'btc',
  ],
  [
    'Kraken by its interface',
    `${s[0]},42780.5,43250,42436.25,42850.75,42800,18000.5,9\n${s[1]},42850.75,43090,41720,41732.5,42000,15500.25,9\n`,
    'btc',
  ],
  [
    'Coinbase',
    `time,low,high,open,close,volume\n${s[1]},41720,43090,42850.75,41732.5,15500.25\n${s[0]},42436.25,43250,42780.5,42850.75,18000.5\n`,
    'btc',
  ],
  [
    'Bitstamp',
    `timestamp,open,high,low,close,volume\n${s[0]},42780.5,43250.0,42436.25,42850.75,18000.5\n${s[1]},42850.75,43090.0,41720.0,41732.5,15500.25\n`,
    'btc',
  ],
  [
    'Kaggle',
    `Timestamp,Open,High,Low,Close,Volume_(BTC),Volume_(Currency),Weighted_Price\n${s[0]},42780.5,43250,42436.25,42850.75,18000.5,771000000.5,42800\n${s[0] + 3600},42850.75,43090,41720,41732.5,15500.25,655000000.25,42000\n`,
    'both',
    'hours',
  ],
  [
    'CoinMarketCap',
    'timeOpen;timeClose;timeHigh;timeLow;name;open;high;low;close;volume;marketCap;timestamp\n"2024-01-14T00:00:00.000Z";"2024-01-14T23:59:59.999Z";"";"";"2781";42850.75;43090;41720;41732.5;655000000.25;1;"2024-01-14T23:59:59.999Z"\n"2024-01-13T00:00:00.000Z";"2024-01-13T23:59:59.999Z";"";"";"2781";42780.5;43250;42436.25;42850.75;771000000.5;1;"2024-01-13T23:59:59.999Z"\n',
    'usd',
  ],
  [
    'CoinGecko, at the end of the day',
    'snapped_at,price,market_cap,total_volume\n2024-01-14 00:00:00 UTC,42850.75,1,771000000.5\n2024-01-15 00:00:00 UTC,41732.5,1,655000000.25\n',
    'usd',
    'closes',
  ],
  [
    'CoinDesk',
    'Currency,Date,Closing Price (USD),24h Open (USD),24h High (USD),24h Low (USD)\nBTC,2024-01-13,42850.75,42780.5,43250,42436.25\nBTC,2024-01-14,41732.5,42850.75,43090,41720\n',
    'none',
  ],
  [
    'Nasdaq',
    'Date,Close/Last,Open,High,Low\n01/14/2024,$41732.50,$42850.75,$43090,$41720\n01/13/2024,$42850.75,$42780.5,$43250,$42436.25\n',
    'none',
  ],
  ['Coin Metrics', 'time,AdrActCnt,PriceUSD\n2024-01-13,1,42850.75\n2024-01-14,2,41732.5\n', 'none', 'closes'],
  [
    'Coin Metrics as JSON',
    '{"data":[{"asset":"btc","time":"2024-01-13T00:00:00.000000000Z","PriceUSD":"42850.75"},{"asset":"btc","time":"2024-01-14T00:00:00.000000000Z","PriceUSD":"41732.5"}]}',
    'none',
    'closes',
  ],
  [
    'Glassnode as JSON',
    `[{"t":${s[0]},"o":{"o":42780.5,"h":43250,"l":42436.25,"c":42850.75}},{"t":${s[1]},"o":{"o":42850.75,"h":43090,"l":41720,"c":41732.5}}]`,
    'none',
  ],
  ['closes alone', 'date,close\n2024-01-13,42850.75\n2024-01-14,41732.5\n', 'none', 'closes'],
  ['German Excel', german, 'none'],
  ['German Excel, before it knew Unicode', Buffer.from(german, 'latin1'), 'none'],
  [
    'French Excel',
    'Date;Ouverture;Plus haut;Plus bas;Clôture\r\n13/01/2024;42 780,50;43 250,00;42 436,25;42 850,75\r\n14/01/2024;42\u202F850,75;43\u00A0090,00;41 720,00;41 732,50\r\n',
    'none',
  ],
  [
    'Swiss Excel',
    'Datum;Eröffnung;Hoch;Tief;Schluss\n13.01.2024;42’780.50;43’250.00;42’436.25;42’850.75\n14.01.2024;42’850.75;43’090.00;41’720.00;41’732.50\n',
    'none',
  ],
  ['a line sep=', `sep=;\r\n${german}`, 'none'],
  ['tabs', plain.replaceAll(',', '\t'), 'none'],
  ['UTF-16 of Excel', Buffer.from(`\uFEFF${plain.replaceAll(',', '\t')}`, 'utf16le'), 'none'],
  ['UTF-16 without its mark', Buffer.from(plain, 'utf16le'), 'none'],
  ['UTF-16 of big machines', swap16(`\uFEFF${plain}`), 'none'],
  [
    'a mark, CRLF, quotes, spaces',
    `\uFEFF${plain
      .replaceAll(',', '" , "')
      .replaceAll(/^|\n(?=2)/g, '$&"')
      .replaceAll('\n', '"\r\n')
      .replaceAll('" , "', '","')}`.replace(/""\r\n$/, '"\r\n'),
    'none',
  ],
  ['comments, empty lines, mixed line ends', `# from a friend\n\n# 2024\r\n${plain.replace('\n', '\r\n\r\n')}`, 'none'],
  ['separators at the end of lines', plain.replaceAll(/(?<=\d)\n/g, ',\n'), 'none'],
  ['days without marks', plain.replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, '$1$2$3'), 'none'],
  ['days by slashes', plain.replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, '$1/$2/$3'), 'none'],
  [
    'old CryptoDataDownload',
    'Unix Timestamp,Date,Symbol,Open,High,Low,Close,Volume\n1705104000.0,2024-01-13 00:00:00,BTCUSD,42780.5,43250,42436.25,42850.75,18000.5\n1705190400.0,2024-01-14 00:00:00,BTCUSD,42850.75,43090,41720,41732.5,15500.25\n',
    'btc',
  ],
])('reads the file of %s', (_, text, volume, form = 'bars') => {
  expect(read(text).lines.map(({ row }) => row)).toEqual(expected(form, volume))
})

test('says how it understood the file', () => {
  const text =
    'time,open,high,low,close,Volume,MA\n1705104000,42780,43250,42436,42850,18000,1\n1705190400,1,1,1,1,1,1\n'
  expect(read(text).notes).toEqual(['volume taken for volume_btc', 'MA not used'])
  const binance = `${s[0]}000,42780,43250,42436,42850,18000,1,771000000,9,1,1,0\n`
  expect(read(binance).notes).toContain('Tether taken for dollars')
})

const row = '42780.5,43250,42436.25,42850.75'
test.each([
  ['an empty file', '', 'line 1: the file is empty'],
  ['a header alone', 'date,close\n', 'line 1: there are no rows after the header'],
  ['no header', `2024-01-13,${row}\n`, 'line 1: no line names the columns'],
  ['trades', '1705104000,42780.5,0.01\n1705104001,42780.6,0.01\n', 'line 1: no line names the columns'],
  [
    'yfinance with two headers',
    'Price,Close,High,Low,Open\nTicker,BTC-USD,BTC-USD,BTC-USD,BTC-USD\nDate,,,,\n2024-01-13,1,1,1,1\n',
    'no line names the columns',
  ],
  [
    'a header further down',
    `2024-01-13,1,2,3\n2024-01-14,1,2,3\ndate,close\n2024-01-15,4\n`,
    'line 1: values above the names of the columns',
  ],
  [
    'a name twice',
    `date,open,high,low,close,close\n2024-01-13,${row},1\n`,
    'line 1: more than one column is the close',
  ],
  ['two closes', 'date,price,close\n2024-01-13,1,2\n', 'line 1: more than one column is the close'],
  ['days and times apart', 'Date,Time,Close\n2024-01-13,16:00,1\n', 'line 1: days and times are in two columns'],
  ['half a bar', 'date,open,close\n2024-01-13,1,2\n', 'line 1: the column "high" is missing'],
  ['euros', 'date,close,volume EUR\n2024-01-13,1,2\n', 'line 1: the column "volume EUR" is not in USD'],
  ['euros by their sign', 'Datum;Kurs (€);Kurs\n13.01.2024;1;2\n', 'is not in USD'],
  ['another market', 'date,symbol,close\n2024-01-13,BTC/EUR,1\n', 'line 2: BTC/EUR is not bitcoin in USD'],
  [
    'two markets',
    'date,symbol,close\n2024-01-13,BTC/USD,1\n2024-01-14,ETH/USD,1\n',
    'line 3: ETH/USD is not bitcoin in USD',
  ],
  [
    'days or months first',
    'Date,Close\n03/04/2024,1\n04/04/2024,1\n',
    'line 2: Date "03/04/2024" can be read in two ways',
  ],
  ['days and months first', 'Date,Close\n13/01/2024,1\n01/14/2024,1\n', 'line 3: Date "01/14/2024" is not a date'],
  ['years of two digits', 'Date,Close\n13.01.24,1\n', 'line 2: Date "13.01.24" is not a date'],
  ['a day of Excel', 'Date,Close\n45304,1\n', 'line 2: Date "45304" is not a date'],
  ['a day that does not exist', 'Date,Close\n2023-02-29,1\n', 'line 2: Date "2023-02-29" is not a date'],
  ['local times', 'time,close\n2024-01-13T00:00+01:00,1\n', 'line 2: time "2024-01-13T00:00+01:00" is not a date'],
  [
    'thousands or decimals',
    'Datum;Schluss\n13.01.2024;42.850\n14.01.2024;41.732\n',
    'line 2: Schluss "42.850" can be read in two ways',
  ],
  ['two decimal marks', 'Datum;Schluss\n13.01.2024;42850,75\n14.01.2024;41732.5\n', 'is not a number'],
  ['a word', 'date,close\n2024-01-13,many\n', 'line 2: close "many" is not a number'],
  ['a missing price', `date,open,high,low,close\n2024-01-13,1,,1,1\n`, 'line 2: high is empty'],
  ['nulls alone', 'date,close\n2024-01-13,null\n', 'line 1: no line has a price'],
  [
    'a line cut short',
    `date,open,high,low,close\n2024-01-13,${row}\n2024-01-14,42850\n`,
    'line 3: 2 cells where the header has 5',
  ],
  ['a line of ten million characters', `date,close\n${'1'.repeat(10_000_000)}\n`, 'Max Record Size'],
  ['a spreadsheet', Buffer.from('PK\u0003\u0004\u0014\u0000\u0006\u0000', 'latin1'), 'is too large or not text'],
  ['a web page', '<!DOCTYPE html>\n<html lang="en">\n', 'Invalid Opening Quote'],
  ['other JSON', '{"error":"no key"}', 'is not a list of entries in JSON'],
  ['JSON with a wrong time', '[{"t":1705104000,"c":1},{"t":"soon","c":1}]', 'entry 2: t "soon" is not a date'],
])('refuses %s with its line and a recipe', (_, text, message) => {
  const reading = () => read(text)
  expect(reading).toThrow(message)
  expect(reading).toThrow(expect.objectContaining({ code: 'invalid_file', cure: expect.stringMatching(/./) }))
})
