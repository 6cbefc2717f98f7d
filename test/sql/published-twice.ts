import { addFirstValues } from '#test/support/first-values.ts'
import { publishSmallGeneration } from '../api/support/small-generation.ts'

/** Publishes two generations of 2024-01-31, each the first with some values. */
export async function publishTwice(dataDir: string): Promise<void> {
  await publishSmallGeneration(dataDir, 'g1', { created_at: '2024-02-01T01:00:00Z', last_date: '2024-01-31' })
  await addFirstValues(dataDir, 'g1', [
    ['price', '2024-01-31', 396],
    ['volume', '2024-01-31', 0.1 + 0.2],
  ])
  // A second one on the same day, which has another price and a metric that the first lacked.
  await publishSmallGeneration(dataDir, 'g2', { created_at: '2024-02-01T09:00:00Z', last_date: '2024-01-31' })
  await addFirstValues(dataDir, 'g2', [
    ['nupl', '2024-01-31', -1.5e-300],
    ['price', '2024-01-31', 999],
  ])
}

/** The first values of both. */
export const january = [
  'nupl 2024-01-31 -1.5e-300 g2',
  'price 2024-01-31 396.0 g1',
  'volume 2024-01-31 0.30000000000000004 g1',
]
