import { splitWords } from './words.ts'

/** Words that mean alike in questions, a group a line. A word may be in several. */
const table = `
price quote rate value worth cost trade exchange
value worth valuable dollar usd money buck greenback cash capital fiat sum fortune
cost price basis entry paid pay purchase acquisition breakeven buy average
buy purchase acquire accumulate add stack scoop absorb snap grab pick load hoard collect snatch
buyer purchaser acquirer entrant newcomer bidder buying newbie latecomer
sell dump offload unload exit liquidate dispose ditch flog distribute shed cash part bail
seller dumper selling sell
hold own keep possess store sit have control stash park hodl retain control custody sitting possession
holder owner investor hodler people folks person guy crowd public everyone bagholder client ppl customer saver believer shareholder
stash hoard stack holding holdings treasury reserve stockpile pile pot war chest position bag treasure
profit gain earn win winning winner green plus black make money ahead up richer payoff
loss lose losing red underwater minus down hurt pain bleed bleeding behind negative drown sink water deficit
lost vanished gone missing forgotten destroyed inaccessible burned burnt disappear
unrealized paper book latent floating unbooked
realize lock bank book cash take pocket crystallize crystallise
share percent percentage fraction part slice portion proportion chunk piece ratio majority much quarter third half
average mean typical usual normal ordinary standard
median middle half typical midpoint
total sum all aggregate altogether combined together whole entire overall collective gross
cumulative lifetime total history since genesis inception ever launch sofar running
count number many quantity tally amount
supply coin float stock circulation bitcoin quantity
circulating outstanding existing exist existence issued supply float
record ath peak high top highest maximum summit apex zenith max
peak top high ceiling blowoff climax
low bottom floor trough nadir lowest minimum cheapest washout deepest
drop fall decline crash slump plunge slide tumble correction dip pullback drawdown sink collapse tank nosedive retreat retrace dive slip rout bloodbath sank sunk fell shed weaken plummet
rise rally climb soar surge jump gain pump rocket increase advance boom up ascent leap boost recover rebound bounce
return performance gain change move percent roi yield
change difference delta swing shift move growth swung shift vary
grow growth expand rise increase climb add swell
shrink decline reduce fall contract decrease dwindle drop dry fade
fast quick rapid pace speed rate velocity
slow sluggish late
old ancient vintage aged early veteran sleeping dormant long pioneer earliest og antique lengthy veteran
young fresh new recent newly just recently
age old long time duration lifespan years
dormant idle asleep sleeping inactive untouched unmoved still hibernating silent frozen stagnant motionless sit dusty unspent freeze silence unchanged sleepy hibernate inactivity stay
wake awaken reactivate revive stir return sudden awoke comeback resurface back
spend move transfer transact shift sent leave swap respend hand relay
holder hodler lth diamond longterm
sth shortterm newcomer recent speculator tourist weak beginner amateur novice rookie trader new flipper
conviction confidence belief faith patience confident trust disbelief convinced believe
fear panic capitulation despair anxiety nervous worried scared fearful afraid terror terrified anxious worry wary cautious frighten paranoid uneasy scary stress
greed euphoria fomo mania frenzy exuberance excited enthusiasm optimism optimistic hype excitement enthusiastic hopeful crazy
mood sentiment emotion psychology feeling phase vibe
overvalued expensive overpriced overheated frothy bubble rich stretched hot pricey inflated dear toppy
undervalued cheap bargain underpriced discount oversold deal opportunity
fair intrinsic fundamental true justified reasonable model
overbought overextended exhausted overheated hot
oversold washedout exhausted
volatility fluctuation swing choppy bumpy wild turbulent turbulence volatile jumpy rollercoaster stormy nervous variation instability unstable unsteady steadiness stability rough
calm quiet tranquil stable boring flat steady still stability tranquility steadiness peaceful sleepy
risk risky gamble danger dangerous hazard hazardous threat harm
reward return gain payoff
annual year yearly annualized twelve
month monthly thirty
week weekly seven
day daily
quarter quarterly ninety
hour hourly
today yesterday day latest session overnight
momentum strength trend
oscillator index gauge indicator
moving average sma line mean trend dma
exponential ema
cross crossover crossing flip
band envelope bollinger channel corridor
tight narrow squeeze compress compressed
model formula theory prediction regression
halving halven halve cut reduction chop slash
countdown until left remaining remain wait long next
cycle bull epoch era market run
bull rally boom bullish uptrend
bear slump bearish winter downtrend downturn
since elapsed passed ago
miner mining mine producer digger
revenue income earn earnings reward pay turnover proceeds salary wage payday receive
mint issue create produce mine issuance emission print dig new
subsidy reward issuance block
inflation dilution issuance growth debasement print printing debase
scarce scarcity rare rarer scarcer hard harder uncommon limited finite
hashrate hash hashing computing computation power compute exahash
security secure safe safety attack attacker rewrite protect protection robust
difficulty hard harder difficult tough tougher puzzle challenge challenging effort
adjust adjustment retarget retargeting recalculate reset
machine rig asic hardware equipment device machinery farm
quit unplug shut surrender switch capitulate capitulation unprofitable offline stress struggle distress squeeze trouble
fee cost charge toll commission tip pay expense price
send transfer transaction payment pay wire remit
transaction payment tx transfer transact
activity usage use busy adoption active demand traffic utilization consumption popularity popular utility traction throughput
busy congested full jam clogged backlog crowded cramped packed traffic queue backlog capacity
empty unused spare room idle
block
size big large bytes weight space mb megabyte storage disk gb gigabyte footprint huge enormous massive immense vast heavy
byte vbyte sat feerate
node server disk drive ssd
segwit witness
taproot p2tr schnorr
inscription ordinal rune spam jpeg data nulldata art picture image nft junk collectible token
output utxo unspent txout piece chunk
input spent txin
batch batching payout withdrawal bundle
volume turnover throughput traded trading traffic
trade trading traded spot market
exchange venue platform binance coinbase kraken bybit okx
leverage margin borrowed leveraged debt loan lend indebted debt
futures perpetual perp derivatives contract swap
open interest oi outstanding position bet wager notional stake
funding carry basis premium rate
long bullish bull bet rising
short bearish
liquidation wipeout flush deleverage unwind cascade
etf fund trust product etp ibit vehicle issuer broker brokerage
institution institutional wallstreet pension traditional advisor etf retirement advisors suits banks
flow inflow outflow demand enter pour attract take flood withdrawal withdraw redemption redeem subscription subscribe pull leave drain withdrew withdrawn subscriber money
company firm corporation corporate business treasury enterprise industry corp employer
public listed publicly stock quoted nasdaq nyse
private unlisted nonlisted
government state country nation sovereign national authority feds federal governmental sovereignty nationwide president
seized confiscated
wrap wrapped tokenised bridge wbtc defi smart contract protocol ethereum
bankrupt bankruptcy creditor trustee insolvency estate gox custodian
premium discount nav
compare versus against relative divide ratio multiple vs to comparison comparative relation
multiple ratio times multiple factor
above over higher exceed beyond surpass
below under lower beneath underneath
near close around next
destroyed consumed burnt coindays consume
liveliness aliveness lively alive
vault hoard locked
z zscore deviation sigma standard
normalize adjusted scale divide relative
smooth moving average filter
network chain blockchain protocol ledger ledger system
market capitalization mcap cap marketcap size
realized cap capital invested stored
distribution profile histogram cluster spread
crowded concentrated concentration dense density cluster
support resistance level zone
quantum exposed vulnerable visible vulnerability risk computer
dca averaging savings plan regular regularly steady fixed stacker saver routinely occasionally frequently constantly habit recurring instalment
sharpe reward
velocity circulation turnover circulate
second per
threshold trigger signal flag alarm
mix coinjoin tumble shuffle blend anonymous anonymity privacy
flush wipe deleverage unwind purge
occupied full crowded packed congested busy utilized
predict forecast expect target predicted project expectation anticipate outlook
address wallet account
people user person participant individual wallet address human
funded balance nonempty contain hold
rich wealthy wealth richest millionaire whale big large affluent
equal unequal inequality gini even evenly spread fair unfair distribution uneven concentrated
concentrated centralized decentralized dominance dominate monopoly control power cartel
drain drained emptied deplete cleaned
whole full complete entire
pool operator miner
small tiny little minor retail poor shrimp
first initial begin start beginning launch birth opening born begun inception initially origin
session hours hour overnight asia europe america tokyo london york
`

let groups: ReadonlyMap<string, readonly string[]> | undefined

/** Names of the groups of each stem, which begin with `~`. */
export function readGroups(): ReadonlyMap<string, readonly string[]> {
  if (groups) return groups
  const map = new Map<string, string[]>()
  for (const [number, line] of table.trim().split('\n').entries())
    for (const one of new Set(splitWords(line))) map.set(one, [...(map.get(one) ?? []), `~${number}`])
  groups = map
  return map
}
