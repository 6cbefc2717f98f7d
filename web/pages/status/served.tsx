import { useState } from 'preact/hooks'
import { formatBytes } from '#base/quantities.ts'
import { describePricing } from '#contract/pricing.ts'
import { describeCoinProof, describeProved } from '#contract/proofs.ts'
import type { Status } from '#contract/status.ts'
import { act } from '../../data/accounts.ts'
import { Facts } from '../../parts/facts.tsx'
import { Form } from '../../parts/form.tsx'
import { ago, writeCount, writeSats } from '../../parts/numbers.ts'

/** Worded as in `coinstrata status`. */
export function Served({ status }: { readonly status: Status }) {
  const current = status.generations.find(({ is_current }) => is_current)
  if (!current) {
    return (
      <>
        <p class="lead">
          Nothing is published yet: run <code>coinstrata update</code>. This page updates by itself when it is done.
        </p>
        <Problems status={status} />
      </>
    )
  }
  const { network, simulated, source, audit, proved, proved_coins, pricing, tables, bytes, notes } = current
  const now = Date.parse(status.at)
  const facts: readonly (readonly [name: string, fact: string])[] = [
    ['network', simulated ? 'simulated: chain and prices are made up' : `${network}, read from ${source}`],
    ['generation', `${current.id}, published ${ago(current.at, now)}`],
    ['days', `${current.first_date} to ${current.last_date}`],
    ['tip', `block ${writeCount(current.tip_height)} (${current.tip_hash}), ${ago(current.tip_time, now)}`],
    ['supply', `${writeSats(current.supply_sats)} BTC in ${writeCount(current.utxo_count)} unspent outputs`],
    [
      'audit',
      `${writeCount(audit.days)} days, ${writeCount(audit.blocks)} blocks; ${
        current.equal_to_node ? 'equal to the node at the tip' : 'not compared with a node'
      }`,
    ],
    ['proved', describeProved(proved)],
    ...(proved_coins ? [['proved by coin', describeCoinProof(proved_coins)] as const] : []),
    ...(pricing ? [['pricing', describePricing(pricing)] as const] : []),
    ['tables', `${tables}: ${formatBytes(bytes)}`],
    ...notes.map((note) => ['note', note] as const),
  ]
  return (
    <>
      <p class="lead">{summarize(current, now)}</p>
      <Problems status={status} />
      <Facts facts={facts} />
    </>
  )
}

/** Only the operator is shown the machine. */
function Problems({ status: { state, machine } }: { readonly status: Status }) {
  const [isScanAllowed, setScanAllowed] = useState(false)
  if (state.problems.length === 0 && !isScanAllowed) return null
  const allowScan = (): Promise<void> => act('POST /v1/status/rescan').then(() => setScanAllowed(true))
  const mayAllow = machine !== null && state.problems.some(({ code }) => code === 'rescan_waiting')
  return (
    <section class="notices" aria-label={`State: ${state.status}`}>
      {state.problems.map((problem) => (
        <p key={problem.code + problem.message}>
          <b>{problem.state}</b>: {problem.message} (<code>{problem.code}</code>). {problem.cure}
        </p>
      ))}
      {isScanAllowed ? (
        <p role="status">The next update reads all blocks again. The runs below show when it begins.</p>
      ) : (
        mayAllow && <Form action="Read all blocks again" onSubmit={allowScan} />
      )}
    </section>
  )
}

function summarize({ at, equal_to_node, proved, tip_height }: Status['generations'][number], now: number): string {
  const isProved = proved !== null && proved.blocks === proved.of
  const equality = equal_to_node
    ? `equal to the node to the satoshi at block ${writeCount(tip_height)}`
    : 'consistent with the subsidy schedule on every day, and not compared with a node'
  const proof = isProved ? 'every block is proved against its hash' : 'blocks are still being proved'
  return `The data served here was published ${ago(at, now)}. It is ${equality}; ${proof}.`
}
