import type { AuditFinding } from '#compute/audit/audit-published.ts'
import { bitcoins, bytesText, describeMilestone, describeProved, duration, grouped, rate } from './numbers.ts'

/** A finding of an audit as a line for people. */
export function describeFinding(finding: AuditFinding): string {
  const [mark, what, text] = partsOf(finding)
  return `${mark.padEnd(4)}${what.padEnd(9)}${text}\n`
}

function partsOf(finding: AuditFinding): [mark: 'ok' | '-', what: string, text: string] {
  switch (finding.of) {
    case 'tables': {
      const { generation, bytes } = finding
      const count = Object.keys(generation.tables).length
      const made = generation.simulated ? ' (made up)' : ''
      const of = `generation ${generation.id} of ${generation.network}${made}`
      return ['ok', 'tables', `${count} tables of ${of}: rows and SHA-256 of ${bytesText(bytes)} as published`]
    }
    case 'amounts': {
      const { days, blocks, unclaimed_sats: unclaimed, unspendable_sats: unspendable } = finding
      const supply = `${grouped(days)} days: the same supply and UTXO count from flows, age bands and blocks`
      const issued = `${grouped(blocks)} blocks within the subsidy schedule`
      const lost = `${bitcoins(unclaimed)} unclaimed, ${bitcoins(unspendable)} unspendable`
      const published = finding.milestones.map((milestone) => `; as others published, ${describeMilestone(milestone)}`)
      return ['ok', 'amounts', `${supply}; ${issued} (${lost})${published.join('')}`]
    }
    case 'node': {
      if (!finding.unspent) return ['-', 'node', `not compared: ${finding.reason}`]
      const { tip, sats, outputs } = finding.unspent
      const says = `${bitcoins(sats)} in ${grouped(outputs)} unspent outputs`
      return ['ok', 'node', `equal to gettxoutsetinfo at block ${grouped(tip.height)}: ${says}`]
    }
    case 'chain': {
      const { blocks, bytes, seconds, proved, pruned, damaged } = finding
      const read = `${bytesText(bytes)} in ${duration(seconds)} (${rate(bytes, seconds)})`
      const text = 'headers link, merkle roots and witness commitments hold, amounts match the published ones'
      const sound = `${grouped(blocks)} blocks verified, ${text}; ${read}; proved: ${describeProved(proved)}${pruned > 0 ? `; ${grouped(pruned)} are pruned` : ''}`
      const rest = damaged.map((damage) => `; damaged in the files of the node, but published correctly: ${damage}`)
      return [damaged.length > 0 ? '-' : 'ok', 'chain', `${sound}${rest.join('')}`]
    }
  }
}
