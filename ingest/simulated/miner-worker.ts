import { type MinedHeaders, Miner, type MiningTask } from './miner.ts'

const miner = new Miner()

export default function mineInWorker(task: MiningTask): MinedHeaders {
  return miner.mine(task)
}
