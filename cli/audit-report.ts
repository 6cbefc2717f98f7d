import { formatBytes, formatCount, formatDuration } from '#base/quantities.ts'
import type { AuditFinding } from '#compute/audit/audit-published.ts'
import type { ProvedCoins } from '#compute/coins/prove-coins.ts'
import { describePriceGap } from '#contract/pricing.ts'
import { describeProved } from '#contract/proofs.ts'
import { describeMilestone, formatBtc, formatRate } from './numbers.ts'

export function describeProvedCoins(proved: ProvedCoins): string {
  const { coins, height, date, days, sats, bytes, seconds, coinsHash, isHashKnown } = proved
  const equal = `proved by coin: ${formatCount(coins)} coins of ${formatCount(days)} days of creation, ${formatBtc(sats)}, after block ${formatCount(height)} (${date})`
  const said = isHashKnown
    ? 'as the node said'
    : 'compare it with the txoutset_hash that the node reported, or give that as --hash'
  return (
    `ok  coins    ${equal}; ${formatBytes(bytes)} in ${formatDuration(seconds)}\n` +
    `${isHashKnown ? 'ok ' : '-  '} hash     ${coinsHash}, ${said}\n`
  )
}

export function describeFinding(finding: AuditFinding): string {
  const lineOf = (mark: 'ok' | '-', what: string, text: string): string => `${mark.padEnd(4)}${what.padEnd(9)}${text}\n`
  const gap = finding.of === 'tables' ? finding.generation.prices?.onchain_gap : undefined
  return lineOf(...splitFinding(finding)) + (gap === undefined ? '' : lineOf('-', 'prices', describePriceGap(gap)))
}

function splitFinding(finding: AuditFinding): [mark: 'ok' | '-', what: string, text: string] {
  switch (finding.of) {
    case 'tables': {
      const { generation, bytes } = finding
      const count = Object.keys(generation.tables).length
      const made = generation.simulated ? ' (made up)' : ''
      const of = `generation ${generation.id} of ${generation.network}${made}`
      return ['ok', 'tables', `${count} tables of ${of}: rows and SHA-256 of ${formatBytes(bytes)} as published`]
    }
    case 'amounts': {
      const { days, blocks, unclaimed_sats: unclaimed, unspendable_sats: unspendable } = finding
      const supply = `${formatCount(days)} days: the same supply and UTXO count from flows, age bands and blocks`
      const issued = `${formatCount(blocks)} blocks within the subsidy schedule`
      const lost = `${formatBtc(unclaimed)} unclaimed, ${formatBtc(unspendable)} unspendable`
      const published = finding.milestones.map((milestone) => `; as others published, ${describeMilestone(milestone)}`)
      return ['ok', 'amounts', `${supply}; ${issued} (${lost})${published.join('')}`]
    }
    case 'node': {
      if (!finding.unspent) return ['-', 'node', `not compared: ${finding.reason}`]
      const { tip, sats, outputs } = finding.unspent
      const says = `${formatBtc(sats)} in ${formatCount(outputs)} unspent outputs`
      return ['ok', 'node', `equal to gettxoutsetinfo at block ${formatCount(tip.height)}: ${says}`]
    }
    case 'chain': {
      const { blocks, bytes, seconds, proved, pruned, damaged } = finding
      const read = `${formatBytes(bytes)} in ${formatDuration(seconds)} (${formatRate(bytes, seconds)})`
      const text = 'headers link, merkle roots and witness commitments hold, amounts match the published ones'
      const sound = `${formatCount(blocks)} blocks verified, ${text}; ${read}; proved: ${describeProved(proved)}${pruned > 0 ? `; ${formatCount(pruned)} are pruned` : ''}`
      const rest = damaged.map((damage) => `; damaged in the files of the node, but published correctly: ${damage}`)
      return [damaged.length > 0 ? '-' : 'ok', 'chain', `${sound}${rest.join('')}`]
    }
  }
}
