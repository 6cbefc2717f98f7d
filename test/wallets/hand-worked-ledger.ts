/**
 * A ledger of 42 events, worked by hand. One event a day, all amounts in BTC and USD.
 * `in` are own coins by the name under which an earlier event created them.
 */
export interface HandEvent {
  readonly price: number
  readonly in?: readonly string[]
  readonly out?: Readonly<Record<string, number>>
  /** Of the whole transaction. */
  readonly fee?: number
  readonly mined?: boolean
  /** Paid per coin, instead of the price. */
  readonly paid?: number
  /** After the event: BTC held, their cost, profit realized so far, cost that the chain shows. */
  readonly held: number
  readonly cost: number
  readonly realized: number
  readonly chain: number
}

export const handWorked: readonly HandEvent[] = [
  // 1: two receipts, 2 BTC at 100 and 1 BTC at 200.
  { price: 100, out: { a: 2 }, held: 2, cost: 200, realized: 0, chain: 200 },
  { price: 200, out: { b: 1 }, held: 3, cost: 400, realized: 0, chain: 400 },
  // A move of a: nothing but its date on the chain changes.
  { price: 300, in: ['a'], out: { c: 2 }, held: 3, cost: 400, realized: 0, chain: 600 + 200 },
  // 0.5 of c are sent at 400, and 1.5 come back: 0.5 × (400 − 100).
  { price: 400, in: ['c'], out: { d: 1.5 }, held: 2.5, cost: 350, realized: 150, chain: 600 + 200 },
  // Both coins in one, with a fee of 0.1, which had cost 100 per coin.
  { price: 500, in: ['d', 'b'], out: { e: 2.4 }, fee: 0.1, held: 2.4, cost: 340, realized: 140, chain: 1200 },
  // 1.4 of the oldest (at 100) leave at 600: 1.4 × 500. What stays is the coin at 200.
  { price: 600, in: ['e'], out: { f: 1 }, held: 1, cost: 200, realized: 840, chain: 600 },
  // All of it leaves, with a fee: 0.9 × 700 − 200.
  { price: 700, in: ['f'], fee: 0.1, held: 0, cost: 0, realized: 1270, chain: 0 },
  // 8: mined coins cost their price.
  { price: 800, out: { g: 5 }, mined: true, held: 5, cost: 4000, realized: 1270, chain: 4000 },
  // A receipt for which another price was paid.
  { price: 900, out: { h: 1 }, paid: 1000, held: 6, cost: 5000, realized: 1270, chain: 4900 },
  // A payment to oneself in two parts.
  { price: 1000, in: ['g'], out: { i: 2, j: 3 }, held: 6, cost: 5000, realized: 1270, chain: 5900 },
  // The same with a fee of 0.5 at 800.
  { price: 1100, in: ['i', 'j'], out: { k: 4.5 }, fee: 0.5, held: 5.5, cost: 4600, realized: 870, chain: 5850 },
  // h leaves whole at a loss: 500 − 1000.
  { price: 500, in: ['h'], held: 4.5, cost: 3600, realized: 370, chain: 4950 },
  // 13: with inputs of others and more than before: 1 BTC is received at 600.
  { price: 600, in: ['k'], out: { l: 5.5 }, fee: 0.2, held: 5.5, cost: 4200, realized: 370, chain: 3300 },
  // The 4.5 at 800 leave first: 2 × (700 − 800).
  { price: 700, in: ['l'], out: { m: 3.5 }, held: 3.5, cost: 2600, realized: 170, chain: 2450 },
  // 2.5 at 800 and 0.5 at 600 leave for 2.9 × 800 (0.1 fee): 2320 − 2000 − 300.
  { price: 800, in: ['m'], out: { n: 0.5 }, fee: 0.1, held: 0.5, cost: 300, realized: 190, chain: 400 },
  // A CoinJoin: 0.1 less afterwards, all of it within the fee of 0.3: 0.1 × 600.
  { price: 900, in: ['n'], out: { o: 0.4 }, fee: 0.3, held: 0.4, cost: 240, realized: 130, chain: 360 },
  // 17: receipts at rising prices.
  { price: 1000, out: { p: 1 }, held: 1.4, cost: 1240, realized: 130, chain: 1360 },
  { price: 1100, out: { q: 1 }, held: 2.4, cost: 2340, realized: 130, chain: 2460 },
  { price: 1200, out: { r: 1 }, held: 3.4, cost: 3540, realized: 130, chain: 3660 },
  // q alone is spent, half of it at 1300: 0.5 × 200.
  { price: 1300, in: ['q'], out: { s: 0.5 }, held: 2.9, cost: 2990, realized: 230, chain: 360 + 1000 + 1200 + 650 },
  // p and r: 1 BTC at 1000 leaves for 1400, that at 1200 stays.
  { price: 1400, in: ['r', 'p'], out: { t: 1 }, held: 1.9, cost: 1990, realized: 630, chain: 360 + 650 + 1400 },
  // o, s, t in one: nothing leaves.
  { price: 1500, in: ['o', 's', 't'], out: { u: 1.9 }, held: 1.9, cost: 1990, realized: 630, chain: 2850 },
  // 0.4 at 600 and 0.1 at 1100 leave: 0.5 × 1600 − 240 − 110.
  { price: 1600, in: ['u'], out: { v: 1.4 }, held: 1.4, cost: 1640, realized: 1080, chain: 2240 },
  // 24: 0.4 at 1100 leave as fee: − 440.
  { price: 1700, in: ['v'], out: { w: 1 }, fee: 0.4, held: 1, cost: 1200, realized: 640, chain: 1700 },
  // Split into four.
  {
    price: 1800,
    in: ['w'],
    out: { w1: 0.25, w2: 0.25, w3: 0.25, w4: 0.25 },
    held: 1,
    cost: 1200,
    realized: 640,
    chain: 1800,
  },
  // Each of three leaves at another price: 0.25 × (2000, 1000, 1200) − 300 each.
  { price: 2000, in: ['w1'], held: 0.75, cost: 900, realized: 840, chain: 1350 },
  { price: 1000, in: ['w2'], held: 0.5, cost: 600, realized: 790, chain: 900 },
  { price: 1200, in: ['w3'], held: 0.25, cost: 300, realized: 790, chain: 450 },
  // 29: received in the same transaction as the last own coin is spent: 1.75 more at 1000.
  { price: 1000, in: ['w4'], out: { x: 2 }, held: 2, cost: 2050, realized: 790, chain: 2000 },
  // 0.25 at 1200 and 0.75 at 1000 leave: 900 − 300 − 750.
  { price: 900, in: ['x'], out: { y: 1 }, held: 1, cost: 1000, realized: 640, chain: 900 },
  // A second CoinJoin: 0.5 less, of which 0.1 is the fee: 0.4 × 800 − 500.
  { price: 800, in: ['y'], out: { y1: 0.25, y2: 0.25 }, fee: 0.1, held: 0.5, cost: 500, realized: 460, chain: 400 },
  // 32: nothing of the wallet changes but the date.
  { price: 700, in: ['y1'], out: { y3: 0.25 }, held: 0.5, cost: 500, realized: 460, chain: 200 + 175 },
  { price: 600, in: ['y2', 'y3'], out: { z: 0.5 }, held: 0.5, cost: 500, realized: 460, chain: 300 },
  // A price was paid on another day: 2 at 50.
  { price: 500, out: { A: 2 }, paid: 50, held: 2.5, cost: 600, realized: 460, chain: 1300 },
  // Both: the 0.5 at 1000 are older and leave first, then 1 at 50: 1.5 × 400 − 500 − 50.
  { price: 400, in: ['A', 'z'], out: { B: 1 }, held: 1, cost: 50, realized: 510, chain: 400 },
  // 36: mined, then moved with what there was.
  { price: 300, out: { C: 3 }, mined: true, held: 4, cost: 950, realized: 510, chain: 400 + 900 },
  { price: 200, in: ['B', 'C'], out: { D: 4 }, held: 4, cost: 950, realized: 510, chain: 800 },
  // 1 at 50 and 1 at 300 leave at 100: 200 − 350.
  { price: 100, in: ['D'], out: { E: 2 }, held: 2, cost: 600, realized: 360, chain: 200 },
  // A day without a market: nothing is paid for what leaves, and what comes costs nothing.
  { price: 0, in: ['E'], out: { F: 1 }, held: 1, cost: 300, realized: 60, chain: 0 },
  { price: 0, out: { G: 1 }, held: 2, cost: 300, realized: 60, chain: 0 },
  // 41: 1 at 300 leaves at 1000, and 0.5 that cost nothing: 1500 − 300.
  { price: 1000, in: ['F', 'G'], out: { H: 0.5 }, held: 0.5, cost: 0, realized: 1260, chain: 500 },
  // The rest: 0.5 × 2000.
  { price: 2000, in: ['H'], held: 0, cost: 0, realized: 2260, chain: 0 },
]

/** The same events where the oldest coins of the whole wallet leave first: cost and profit after each. */
export const firstInFirstOut: readonly (readonly [cost: number, realized: number])[] = [
  [200, 0],
  [400, 0],
  [400, 0],
  [350, 150],
  // The fee: 0.1 at 100.
  [340, 140],
  // 1.4 at 100.
  [200, 840],
  [0, 1270],
]
